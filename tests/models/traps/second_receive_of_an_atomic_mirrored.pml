/*
 * Second receive of an atomic mirrored.
 *
 * expect: safety holds
 * reduction: on
 */
chan q = [2] of { byte }; byte x;
active proctype S() { q!1; q!2 }
active proctype P() { byte v; atomic { len(q) == 2 -> q?v; x = v; q?v; x = v } }
active proctype R() { assert(x != 1) }
