/* Jobs are handed to whichever worker of the pool is free. */
proctype Worker(chan jobs; chan out) {
  byte j;
  do :: jobs?j -> if :: j == 0 -> break :: else -> out!j * 2 fi od
}
init {
  chan jobs = [0] of { byte }; chan out = [4] of { byte }; byte s, r;
  run Worker(jobs, out); run Worker(jobs, out);
  jobs!1; jobs!2; jobs!3; out?s; out?r; s = s + r; out?r; s = s + r;
  assert(s == 12); jobs!0; jobs!0
}
