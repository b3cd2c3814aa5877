/*
 * Two of them side by side, which have nothing to do with each other.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Group(chan add, wait; byte n) {
  do :: n > 0 -> add?_; n-- :: else -> break od;
  wait!0
}
proctype Worker(chan add) { byte step; step = 1; add!0 }
proctype Main(byte n) {
  chan add = [0] of { bit }; chan wait = [0] of { bit }; byte i;
  run Group(add, wait, n);
  i = 0; do :: i < 2 && i < n -> run Worker(add); i++ :: else -> break od;
  wait?_
}
init { run Main(2); run Main(1) }
