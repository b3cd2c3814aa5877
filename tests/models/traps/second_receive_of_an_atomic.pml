/*
 * Second receive of an atomic.
 *
 * expect: safety violated
 * reduction: on
 */
chan q = [2] of { byte }; byte x;
active proctype S() { q!1; q!2 }
active proctype P() { byte v; atomic { q?v; x = v; q?v; x = v } }
active proctype R() { assert(x != 1) }
