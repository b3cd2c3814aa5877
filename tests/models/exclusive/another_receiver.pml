/*
 * Another receiver.
 *
 * options: --no-end-check
 * expect: safety violated, xr
 * says: another process has declared `xr`: only it
 */
chan c = [2] of { byte }; byte g;
active proctype S() { c!1; c!2 }
active proctype R() { xr c; byte v; c?v }
active proctype Q() { byte v; g = 1; c?v }
