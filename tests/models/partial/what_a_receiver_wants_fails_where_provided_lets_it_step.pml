/*
 * What a receiver wants fails where provided lets it step.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i = 2;
active proctype P() provided (i < 3) { r?eval(a[i]) } active proctype S() { r!0 } active proctype T() { i = 0 }
