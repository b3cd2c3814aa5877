/*
 * The same channel by two names.
 *
 * options: --no-end-check
 * expect: safety violated, xr
 * says: another process has declared `xr`: only it
 */
proctype R(chan c) { xr c; byte v; c?v }
init { chan a = [2] of { byte };
atomic { run R(a); run R(a) } a!1; a!2 }
