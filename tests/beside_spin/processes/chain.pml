/* Each process starts the next and waits for it. */
proctype Link(chan up; byte n) {
  chan down = [0] of { byte }; byte v;
  if
  :: n > 0 -> run Link(down, n - 1); down?v
  :: else
  fi;
  up!v + 1
}
init { chan a = [0] of { byte }; chan b = [0] of { byte }; byte v; run Link(a, 3); run Link(b, 2); a?v; assert(v == 4); b?v; assert(v == 3) }
