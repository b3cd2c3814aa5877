/*
 * The mirror: it decides about an assertion.
 *
 * expect: safety violated, assertion
 */
byte x;
proctype P(byte me) { atomic { x == 0; x = 1 }; printf("%d\n", me); x = 0; assert(me != 2) }
init { byte i; do :: i < 3 -> run P(i); i++ :: else -> break od }
