/* Two generators into one channel. */
proctype Gen(chan out; byte v) { out!v; out!v + 1 }
proctype Copy(chan in; chan out) { byte x; end: do :: in?x -> out!x od }
init { chan a = [0] of { byte }; chan b = [0] of { byte }; chan c = [0] of { byte }; byte x, s, i;
  run Gen(a, 1); run Gen(b, 5); run Copy(a, c); run Copy(b, c);
  do :: i < 4 -> c?x; s = s + x; i++ :: else -> break od; assert(s == 14) }
