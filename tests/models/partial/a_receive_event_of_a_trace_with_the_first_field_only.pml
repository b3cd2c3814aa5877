/*
 * A receive event of a trace with the first field only.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y; trace { c?1 } active proctype P() { c!1,2; c?x,y }
