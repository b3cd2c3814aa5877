/*
 * The wait group counts one worker less than there are, so that the one who waits goes on too early.
 *
 * expect: safety violated
 * reduction: on
 * spin: same
 */
byte done;
proctype Group(chan add, wait) {
  byte n = 2;
  do :: n > 0 -> add?_; n-- :: else -> break od;
  wait!0
}
proctype Worker(chan add) { atomic { done++ }; end: add!0 }
proctype Main() {
  chan add = [0] of { bit }; chan wait = [0] of { bit }; byte i;
  run Group(add, wait);
  for (i : 1 .. 3) { run Worker(add) }
  wait?_; assert(done == 3)
}
init { run Main() }
