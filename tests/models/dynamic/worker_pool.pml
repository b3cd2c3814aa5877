/*
 * Jobs go to whichever worker takes them; the answers come back in any order.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Worker(chan jobs, answers) { byte j; do :: jobs?j -> if :: j == 0 -> break :: else -> answers!(2 * j) fi od }
init {
  chan jobs = [2] of { byte }; chan answers = [2] of { byte };
  byte i, v, sum;
  for (i : 1 .. 2) { run Worker(jobs, answers) }
  for (i : 1 .. 2) { jobs!i }
  for (i : 1 .. 2) { answers?v; sum = sum + v }
  for (i : 1 .. 2) { jobs!0 }
  assert(sum == 6)
}
