/*
 * A process ends before its children have, and is kept until they do.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
byte total;
proctype Leaf(chan out) { out!1; atomic { total++ } }
proctype Node() { chan in = [2] of { byte }; run Leaf(in); run Leaf(in); assert(total <= 4) }
init { run Node(); run Node() }
