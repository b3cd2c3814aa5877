/* Futures: a value computed aside, asked for when it is needed. */
proctype Eval(chan f; byte x) { byte y; y = x * x; f!y }
proctype User(byte x) {
  chan f = [1] of { byte }; chan g = [1] of { byte }; byte a, b;
  run Eval(f, x); run Eval(g, x + 1);
  f?a; g?b; assert(b > a)
}
init { run User(1); run User(2) }
