/*
 * Stopped inside an atomic by an empty channel.
 *
 * expect: safety violated
 * reduction: on
 */
chan q = [1] of { byte }; byte x, y;
active proctype R() { assert(!(x == 1 && y == 0)) }
active proctype P() { atomic { x = 1; q?y } }
active proctype S() { q!1 }
