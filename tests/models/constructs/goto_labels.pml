/*
 * Goto labels.
 *
 * expect: safety holds
 * graph: 17 states, 0 matched, 0 atomic, 0 errors
 */
byte x;
active proctype A() {
start: if :: x < 3 -> x++; goto start :: x == 3 -> goto finish fi;
finish: do :: x > 0 -> x-- :: x == 0 -> goto end1 od;
end1: skip
}
