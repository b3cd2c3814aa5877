/*
 * A receive from a channel that is there by then beside a step that is possible.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
chan b = [1] of { byte }; chan u; byte x; active proctype P() { u = b; if :: u?x :: x == 0 fi }
