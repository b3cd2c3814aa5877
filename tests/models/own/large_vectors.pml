/*
 * Large vectors work.
 *
 * expect: safety holds
 * graph: 8 states
 * finds: nothing
 */
chan c = [60000] of { int }; int a[30000];
active proctype P() { byte l; c!7; a[29999] = 9; c?l; assert(l == 7); l = a[29999]; assert(l == 9) }
