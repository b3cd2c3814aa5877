/* A variable belongs to its braces; options of a selection have none of their own. */
byte x;
active proctype P() {
    x = 1;
    { byte y; y = 2; { byte z = 5; z = 3 }; y++ };
    { byte y; y = x };
    if :: byte w; w = x -> x = w :: x = w fi;
    x = w
}
