/* A bus arbiter, requests and grants; waiting time is counted. */
bit req[3], grant[3]; int waited[3]; byte last;
active proctype Arb() { byte i; do :: d_step { i = (last + 1) % 3; if :: req[i] -> grant[i] = 1; last = i :: else -> last = i fi }; if :: grant[i] -> !grant[i] :: else fi od }
active [3] proctype Dev() { byte me; me = _pid - 1; do :: req[me] = 1; if :: grant[me] :: waited[me]++; grant[me] fi; req[me] = 0; grant[me] = 0 od }
ltl one { [] !(grant[0] && grant[1]) }
