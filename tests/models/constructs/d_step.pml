/*
 * D step.
 *
 * expect: safety holds
 * graph: 20 states, 14 matched, 0 atomic, 0 errors
 */
byte x, y;
active [2] proctype A() {
  byte i;
  d_step { x < 3 -> x++; i = 0; do :: i < 3 -> y = y + i; i++ :: else -> break od; if :: y > 7 -> y = 0 :: else fi };
  y++
}
active proctype B() { do :: d_step { y == 0 -> x = 0 } :: d_step { x == 3; y++ } :: x > 1 && y > 1 -> break od }
