/*
 * A mutex is a process; whoever has locked it is alone.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
byte inside;
proctype Mutex(chan lock, unlock) { end: do :: lock?_ -> unlock?_ od }
proctype Worker(chan lock, unlock, done) {
  byte i;
  for (i : 1 .. 2) { lock!0; inside++; assert(inside == 1); inside--; unlock!0 }
  done!0
}
init {
  chan lock = [0] of { bit }; chan unlock = [0] of { bit }; chan done = [2] of { bit };
  run Mutex(lock, unlock); run Worker(lock, unlock, done); run Worker(lock, unlock, done);
  done?_; done?_
}
