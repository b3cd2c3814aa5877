/* A claim with an acceptance cycle. */
byte x;
active proctype P() { do :: x = 1 - x od }
never {
T0: do
    :: x == 1 -> goto accept
    :: true
    od;
accept:
    do :: x == 1 od
}
