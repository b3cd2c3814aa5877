/* A tree of processes that answer to their parents. */
proctype Leaf(chan up; byte v) { up!v }
proctype Inner(chan up; byte v) {
  chan down = [2] of { byte }; byte a, b;
  run Leaf(down, v); run Leaf(down, v + 1);
  down?a; down?b; up!a + b
}
init {
  chan down = [2] of { byte }; byte a, b;
  run Inner(down, 1); run Inner(down, 3);
  down?a; down?b; assert(a + b == 10)
}
