/*
 * Every process starts two others and waits for both.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Leaf(chan out) { byte v; v = 1; out!v }
proctype Node(chan out) {
  chan in = [2] of { byte }; byte a, b;
  run Leaf(in); run Leaf(in); in?a; in?b; out!(a + b)
}
init { chan in = [2] of { byte }; byte a, b; run Node(in); run Node(in); in?a; in?b; assert(a + b == 4) }
