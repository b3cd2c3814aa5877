/*
 * The other end is free.
 *
 * options: --no-end-check
 * expect: safety holds
 */
chan c = [2] of { byte };
active proctype S() { xs c; c!1; c!2 }
active proctype R() { byte v; c?v }
active proctype Q() { byte v; c?v }
