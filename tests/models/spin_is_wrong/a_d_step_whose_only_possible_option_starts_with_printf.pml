/*
 * A d_step whose only possible option starts with printf.
 *
 * expect: safety holds
 */
byte x; active proctype P() { d_step { if :: x == 1 -> x = 2 :: printf("a") -> x = 3 fi }; assert(x == 3) }
