/*
 * What a receiver wants is not asked where provided forbids the step.
 *
 * expect: safety holds, 7 states
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i = 2;
active proctype P() provided (i < 2) { r?eval(a[i]) } active proctype S() { r!0 } active proctype T() { i = 0 }
