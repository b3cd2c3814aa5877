/*
 * Stopped inside an atomic by a full channel.
 *
 * expect: safety violated
 * reduction: on
 */
chan q = [1] of { byte }; byte x, y;
active proctype R() { assert(!(x == 1 && y == 0)) }
active proctype P() { q!1; atomic { x = 1; q!2; y = 1 } }
active proctype S() { byte v; q?v }
