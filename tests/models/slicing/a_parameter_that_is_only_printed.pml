/*
 * A number that each process is told, and only prints.
 *
 * expect: safety holds
 */
byte x;
proctype P(byte me) { atomic { x == 0; x = 1 }; printf("%d\n", me); x = 0 }
init { byte i; do :: i < 3 -> run P(i); i++ :: else -> break od }
