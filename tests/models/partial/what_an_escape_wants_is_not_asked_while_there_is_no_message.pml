/*
 * What an escape wants is not asked while there is no message.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2; active proctype P() { { skip } unless { c?eval(a[i]) } }
