/* A property that fails, far down and late: a lock of DIGITS digits opens for one code only.

   The dialler tries the codes in order, the right one is the last; then it must listen for PATIENCE ticks before the
   lock rattles forever. Two bystanders walk up and down. A depth-first search has to visit nearly
   everything before it meets the violation.
   Size: -DDIGITS=n, -DWALK=n, -DPATIENCE=n. */
#ifndef DIGITS
#define DIGITS 2
#endif
#ifndef WALK
#define WALK 3
#endif
#ifndef PATIENCE
#define PATIENCE 50
#endif

byte digit[DIGITS];
bool rattles;
int ticks;

active [2] proctype Bystander() {
    byte at;
    do
    :: !rattles && at < WALK -> at++
    :: !rattles && at > 0 -> at--
    :: rattles -> break
    od
}

active proctype Dialler() {
    byte place, sum;
    do
    :: place < DIGITS ->
        if
        :: digit[place] = 0
        :: digit[place] = 1
        :: digit[place] = 2
        :: digit[place] = 3
        fi;
        sum = sum + digit[place];
        place++
    :: place == DIGITS && sum < 3 * DIGITS -> goto open
    :: place == DIGITS && sum == 3 * DIGITS -> break
    od;
    do
    :: ticks < PATIENCE -> ticks++
    :: else -> break
    od;
    rattles = true;
    do
    :: rattles -> digit[0] = 1 - digit[0]
    od;
open:
    skip
}

ltl quiet { []<> !rattles }
