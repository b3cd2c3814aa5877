/*
 * A mutex is a process; one worker gives it back before it has left.
 *
 * expect: safety violated
 * reduction: on
 * spin: same
 */
byte inside;
proctype Mutex(chan lock, unlock) { end: do :: lock?_ -> unlock?_ od }
proctype Worker(chan lock, unlock, done) { lock!0; inside++; assert(inside == 1); inside--; unlock!0; done!0 }
proctype Early(chan lock, unlock, done) { lock!0; inside++; unlock!0; assert(inside == 1); inside--; done!0 }
init {
  chan lock = [0] of { bit }; chan unlock = [0] of { bit }; chan done = [2] of { bit };
  run Mutex(lock, unlock); run Worker(lock, unlock, done); run Early(lock, unlock, done);
  done?_; done?_
}
