/*
 * The mirror: what follows the printf is done.
 *
 * expect: safety violated
 */
byte x; active proctype P() { d_step { if :: x == 1 -> x = 2 :: printf("a") -> x = 3 fi }; assert(x == 0) }
