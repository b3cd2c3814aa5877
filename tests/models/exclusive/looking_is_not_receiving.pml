/*
 * Looking is not receiving.
 *
 * options: --no-end-check
 * expect: safety holds
 */
chan c = [2] of { byte };
active proctype S() { c!1 }
active proctype R() { xr c; byte v; c?v; v = 0 }
active proctype Q() { end: c?<1> }
