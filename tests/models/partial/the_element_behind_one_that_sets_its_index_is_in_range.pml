/*
 * The element behind one that sets its index is in range.
 *
 * expect: safety holds, 5 states
 * spin: index, because SPIN saves the old value of the element before it receives the index
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2; active proctype P() { c!1,7; c?i,a[i]; assert(a[1] == 7) }
