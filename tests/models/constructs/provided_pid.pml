/*
 * Provided pid.
 *
 * expect: safety holds
 * graph: 10 states, 1 matched, 0 atomic, 0 errors
 */
byte turn = 1; chan c = [0] of { bit };
active [2] proctype A() provided (turn == _pid) { turn = 1 - _pid; c!1; turn = 1 - _pid }
active proctype B() provided (turn != 2) { c?1; c?1 }
