/*
 * Workers tell a wait group that they have done their work, and the one who waits goes on after them.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
byte done;
proctype Group(chan add, wait) {
  byte n = 3;
  do :: n > 0 -> add?_; n-- :: else -> break od;
  wait!0
}
proctype Worker(chan add) { byte step; step = 1; step = 2; atomic { done++ }; add!0 }
proctype Main() {
  chan add = [0] of { bit }; chan wait = [0] of { bit }; byte i;
  run Group(add, wait);
  for (i : 1 .. 3) { run Worker(add) }
  wait?_; assert(done == 3)
}
init { run Main() }
