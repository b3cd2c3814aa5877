/*
 * Atomic nested goto.
 *
 * expect: safety violated
 * graph: 4 states, 3 matched, 22 atomic, 1 errors
 */
byte x;
active [2] proctype A() {
again:
  atomic { x < 4 -> x++; if :: x == 2 -> goto out :: x == 3 -> goto again :: else fi; x++ };
  goto again;
out:
  x = 7
}
