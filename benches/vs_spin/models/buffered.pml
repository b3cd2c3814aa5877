/* Buffered channels: messages of two fields wander through N queues of CAPACITY, and may overtake nobody.

   The number of a message is checked at the far end.
   Size: -DN=n (queues), -DCAPACITY=n, -DV=n (numbers). */
#ifndef N
#define N 2
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef V
#define V 3
#endif

chan queue[N] = [CAPACITY] of { byte, bool };

proctype Relay(byte place) {
    byte number;
    bool mark;
end:
    do
    :: queue[place - 1]?number,mark -> queue[place]!number,mark
    od
}

proctype Sender() {
    byte number;
end:
    do
    :: queue[0]!number,true; number = (number + 1) % V
    :: queue[0]!number,false; number = (number + 1) % V
    od
}

proctype Receiver() {
    byte expected;
    bool mark;
end:
    do
    :: queue[N - 1]?eval(expected),mark -> expected = (expected + 1) % V
    od
}

init {
    byte i = 1;
    atomic {
        run Sender();
        do
        :: i < N -> run Relay(i); i++
        :: else -> break
        od;
        run Receiver()
    }
}
