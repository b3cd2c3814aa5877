/* Local variables of another process. */
proctype P(byte a) { byte t; byte v[3]; t = a; v[a] = 1 }
init { pid p; p = run P(1); P[p]:a == 1; P:t + P[p]:t == P[p]:v[p] }
