/* Semicolons and arrows wherever SPIN allows or does not need them. */
byte x;
active proctype P() {
    x = 1 -> x = 2 ;; x = 3
    x = 4
    if :: x == 4; x = 5;; :: x == 5 -> -> x = 6 fi
    { x = 7 } x = 8;
    do :: break od;
};
active proctype Q() { x == 1 };
