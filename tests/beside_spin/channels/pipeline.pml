/* Stages of a pipeline, each between two channels. */
proctype Stage(chan in; chan out; byte k) { byte x; end: do :: in?x -> out!x * k od }
init {
  chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte }; chan d = [1] of { byte }; byte x;
  run Stage(a, b, 2); run Stage(b, c, 3); run Stage(c, d, 1);
  a!1; a!2; a!3; d?x; assert(x == 6); d?x; d?x; assert(x == 18)
}
