/*
 * Only while the one that claims it is there.
 *
 * options: --no-end-check
 * expect: safety violated, xr
 * says: another process has declared `xr`: only it
 */
chan c = [2] of { byte }; byte g;
active proctype Q() { byte v; byte l; l = 1; c?v; g = 1 }
active proctype S() { c!1 }
active proctype R() { xr c; byte l; l = 1; l = 2 }
