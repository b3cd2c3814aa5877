/* Philosophers who ask a monitor for both forks. */
chan take = [0] of { byte }; chan give = [0] of { byte };
active proctype Monitor() {
  bit used[4]; byte i;
  end: do
  :: take?i -> used[i] = 1
  :: give?i -> used[i] = 0
  od
}
active [4] proctype Phil() { byte meals; do :: meals < 2 -> take!_pid - 1; meals++; give!_pid - 1 :: else -> break od }
