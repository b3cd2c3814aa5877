/*
 * Long channel field.
 *
 * expect: safety holds
 * graph: 7 states, 0 matched, 0 atomic, 0 errors
 */
chan c = [1] of { bit, bit };
active proctype A() { c!3,2; c!5,7 }
active proctype B() { byte a, b; c?a,b; c?1,b }
