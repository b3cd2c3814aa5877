/* Wide vectors: beads on a string of 240 places.

   Every bead moves one place to the right or to the left if nobody is there; the string is part of the state, which has
   about 260 bytes, of which a step changes three.
   Size: -DN=n (beads), -DROOM=n (places a bead may use). */
#ifndef N
#define N 2
#endif
#ifndef ROOM
#define ROOM 24
#endif

bool taken[240];

proctype Bead(byte at) {
    do
    :: d_step { at + 1 < ROOM && !taken[at + 1] -> taken[at] = false; at++; taken[at] = true }
    :: d_step { at > 0 && !taken[at - 1] -> taken[at] = false; at--; taken[at] = true }
    od
}

init {
    byte i;
    atomic {
        do
        :: i < N -> taken[i] = true; run Bead(i); i++
        :: else -> break
        od
    }
}
