/*
 * A send event of a trace with the first field only.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y; trace { c!1 } active proctype P() { c!1,2 }
