/* A acquire for many readers or one writer. */
chan rlock = [0] of { bit }; chan runlock = [0] of { bit }; chan wlock = [0] of { bit }; chan wunlock = [0] of { bit };
byte readers, writers;
active proctype Lock() {
  byte n;
  end: do
  :: rlock?_ -> n++
  :: n > 0 -> runlock?_; n--
  :: n == 0 -> wlock?_; wunlock?_
  od
}
active [2] proctype Reader() { rlock!1; readers++; assert(writers == 0); readers--; runlock!1 }
active [2] proctype Writer() { wlock!1; writers++; assert(writers == 1 && readers == 0); writers--; wunlock!1 }
