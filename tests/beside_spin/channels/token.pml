/* A token goes round between workers that are started in a ring. */
proctype W(chan in; chan out) { byte t; do :: in?t -> if :: t == 0 -> out!0; break :: else -> out!t - 1 fi od }
init { chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte }; run W(a, b); run W(b, c); run W(c, a); a!7 }
