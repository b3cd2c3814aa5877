/*
 * Writes to what an atom reads.
 *
 * expect: seen violated
 * expect: unseen holds
 * reduction: on
 */
byte x, y; bit a;
active proctype Q() { x = 1; x = 2; x = 0 }
active proctype P() { y = 1; y = 2 }
ltl seen { !(<> (x == 1 && y == 0)) }
ltl unseen { [] (x <= 2 && y <= 2) }
