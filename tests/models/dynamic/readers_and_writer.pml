/*
 * A monitor lets in many readers or one writer.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
byte readers, writers;
proctype Monitor(chan enter, leave, write, written) {
  byte n;
  end: do :: enter?_ -> n++ :: leave?_ -> n-- :: n == 0 -> end1: if :: write?_ -> written?_ :: enter?_ -> n++ fi od
}
proctype Reader(chan enter, leave, done) { enter!0; atomic { readers++ }; assert(writers == 0); atomic { readers-- }; leave!0; done!0 }
proctype Writer(chan write, written, done) { write!0; writers++; assert(readers == 0); writers--; written!0; done!0 }
init {
  chan enter = [0] of { bit }; chan leave = [0] of { bit }; chan write = [0] of { bit }; chan written = [0] of { bit };
  chan done = [3] of { bit };
  run Monitor(enter, leave, write, written);
  run Reader(enter, leave, done); run Reader(enter, leave, done); run Writer(write, written, done);
  done?_; done?_; done?_
}
