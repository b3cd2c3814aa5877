/*
 * Provided.
 *
 * expect: safety holds
 * graph: 4 states, 4 matched, 0 atomic, 0 errors
 */
byte turn;
active proctype A() provided (turn == 0) { do :: turn = 1 :: turn = 2 od }
active proctype B() provided (turn != 0) { do :: turn = 0 :: turn = 2; turn = 1 od }
