/*
 * The maker of a channel may end, and take it along, before the other process has used it.
 *
 * expect: safety violated, no channel
 * reduction: on
 */
chan g;
active proctype P() { (g != 0); g!1 }
active proctype Q() { chan c = [1] of { byte }; g = c }
