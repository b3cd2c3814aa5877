/*
 * Each has a channel of its own.
 *
 * options: --no-end-check
 * expect: safety holds
 */
proctype R(chan c) { xr c; byte v; c?v }
init { chan a = [1] of { byte }; chan b = [1] of { byte };
atomic { run R(a); run R(b) } a!1; b!1 }
