/* Wolf, goat and cabbage; trips are counted. */
bit man, wolf, goat, cabbage; int trips;
active proctype P() {
  do
  :: atomic { man = 1 - man; trips++ }
  :: atomic { man == wolf -> man = 1 - man; wolf = man; trips++ }
  :: atomic { man == goat -> man = 1 - man; goat = man; trips++ }
  :: atomic { man == cabbage -> man = 1 - man; cabbage = man; trips++ }
  od
}
