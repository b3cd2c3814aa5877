/* A d_step waits for its first statement alone; selections and loops inside become jumps. */
byte x, i;
chan q = [2] of { byte };
active proctype P() {
    d_step { x > 0; do :: i < 2 -> i++ :: else -> break od; if :: q?x :: empty(q) -> q!i fi; L: x--; skip };
    d_step { q?x -> x = 0 }
}
active proctype Q() { x = 1 }
