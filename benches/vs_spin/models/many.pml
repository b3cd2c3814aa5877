/* Many processes: N guests, at most SEATS of them at the table.

   A guest sits down, eats, pays, and gets up. Every process can move on its own most of the time, so that a state has
   many successors and most of them are known already.
   Size: -DN=n, -DSEATS=n. */
#ifndef N
#define N 8
#endif
#ifndef SEATS
#define SEATS 3
#endif

byte seated;

active [N] proctype Guest() {
    do
    :: d_step { seated < SEATS -> seated++ };
eat:    assert(seated <= SEATS);
pay:    seated--
    od
}
