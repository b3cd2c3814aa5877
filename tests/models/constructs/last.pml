/*
 * Last.
 *
 * expect: safety holds
 * graph: 16 states, 9 matched, 0 atomic, 0 errors
 */
byte x;
active [2] proctype P() { do :: _last != _pid -> x = !x od }
