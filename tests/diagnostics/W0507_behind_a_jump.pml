/* Behind a jump, and behind a loop that is never left. */
byte x;

inline leave() {
    x = 1;
    goto done
}

active proctype Jump() {
    leave();
    x = 2;
    x = 3;
done:
    x = 4
}

active proctype Loop() {
    do
    :: x > 1 -> x--
    :: else -> x++
    od;
    if
    :: x == 1 -> x = 2
    :: else
    fi;
    x = 5
}

/* Control comes to all of this: by a jump back, by an escape, by a break. */
active proctype Fine() {
    byte i;
    goto second;
first:
    x = 6;
    goto third;
second:
    x = 7;
    goto first;
third:
    do
    :: x < 9 -> x++
    od unless {
        x == 9 -> x = 0
    };
    for (i : 1 .. 3) {
        x = i;
        break
    };
    x = 8
}
