/* Deep stacks: a clock counts to LENGTH while two lamps are switched on and off.

   The clock never goes back, so the first path of a depth-first search is as long as it can be: more than LENGTH steps.
   Size: -DLENGTH=n. */
#ifndef LENGTH
#define LENGTH 3000
#endif

int time;

active proctype Clock() {
    do
    :: time < LENGTH -> time++
    :: time == LENGTH -> break
    od
}

active [2] proctype Lamp() {
    bool on;
end:
    do
    :: time % 3 != _pid -> on = !on
    od
}
