/*
 * Notrace.
 *
 * expect: safety holds
 * graph: 9 states, 0 matched, 0 atomic, 0 errors
 */
chan c = [1] of { byte };
active proctype A() { c!1; c!2; c!3 }
active proctype B() { c?_; c?_; c?_ }
notrace { c!1; c?1; c?2 }
