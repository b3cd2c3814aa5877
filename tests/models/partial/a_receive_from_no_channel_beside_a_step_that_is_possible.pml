/*
 * A receive from no channel beside a step that is possible.
 *
 * expect: safety violated, channel
 * spin: same
 */
chan b = [1] of { byte }; chan u; byte x; active proctype P() { if :: u?x :: x == 0 fi }
