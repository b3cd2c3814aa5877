/* A property that holds: the token of a ring of N stations comes round again and again.

   A station may work WORK times between two visits of the token, in any order with the others; no fairness is needed.
   Size: -DN=n, -DWORK=n. */
#ifndef N
#define N 4
#endif
#ifndef WORK
#define WORK 2
#endif

byte holder;

active [N] proctype Station() {
    byte left = WORK;
    do
    :: left > 0 -> left--
    :: d_step { holder == _pid -> holder = (holder + 1) % N; left = WORK }
    od
}

ltl comes_round { []<> (holder == 0) }
