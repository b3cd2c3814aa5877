/*
 * Mtypes.
 *
 * expect: safety holds
 * graph: 16 states, 3 matched, 0 atomic, 0 errors
 */
mtype:fruit = { apple, pear }; mtype:car = { vw, bmw, fiat }; mtype = { x1, x2 };
mtype:fruit f = pear; mtype:car k; mtype p = x1; chan c = [1] of { mtype:car, mtype:fruit };
active proctype A() { k = fiat; c!bmw,apple; p = x2 }
active proctype B() { c?k,f; if :: k == bmw -> p = x1 :: else fi }
