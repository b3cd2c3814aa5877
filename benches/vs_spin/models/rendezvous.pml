/* Rendezvous: items of V kinds are handed from stage to stage of a line of N.

   Every step but the source's choice is a handshake of two processes.
   Size: -DN=n (stages), -DV=n (kinds). */
#ifndef N
#define N 4
#endif
#ifndef V
#define V 3
#endif

chan link[N + 1] = [0] of { byte };

proctype Stage(byte place) {
    byte item;
end:
    do
    :: link[place]?item -> link[place + 1]!item
    od
}

proctype Source() {
    byte kind;
end:
    do
    :: kind < V - 1 -> kind++
    :: kind > 0 -> kind--
    :: link[0]!kind
    od
}

proctype Sink() {
    byte item;
end:
    do
    :: link[N]?item -> assert(item < V); item = 0
    od
}

init {
    byte i;
    atomic {
        run Source();
        do
        :: i < N -> run Stage(i); i++
        :: else -> break
        od;
        run Sink()
    }
}
