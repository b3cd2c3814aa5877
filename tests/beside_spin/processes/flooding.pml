/* A process at each node floods its neighbours over links of their own. */
proctype Node(chan left; chan right; bool first) {
  byte v;
  if :: first -> right!1; left?v :: else -> left?v; right!v + 1 fi
}
init {
  chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte };
  atomic { run Node(a, b, 1); run Node(b, c, 0); run Node(c, a, 0) }
}
