/*
 * Only if the one that claims it starts early enough.
 *
 * options: --no-end-check
 * expect: safety violated, xr
 * says: another process has declared `xr`: only it
 */
chan c = [2] of { byte }; byte g;
proctype R() { xr c; byte v; g = 1 }
active proctype Q() { byte v; c?v }
init { c!1; run R() }
