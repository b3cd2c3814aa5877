/*
 * A statistic of which one condition is made.
 *
 * expect: safety violated, assertion
 */
byte x, trips; bool enough;
active proctype P() { do :: x < 2 -> x++; trips++; enough = (trips > 2 -> true : false) :: x > 0 -> x-- od }
active proctype Q() { if :: enough -> assert(false) fi }
