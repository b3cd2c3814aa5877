/*
 * The youngest process dies first.
 *
 * expect: safety holds
 * finds: nothing
 */
byte n; active proctype A() { n++ } active proctype B() { n++; (n == 2 && _nr_pr == 2) -> assert(_nr_pr == 2) }
