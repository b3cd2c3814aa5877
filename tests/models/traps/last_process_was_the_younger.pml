/*
 * Of two steps that have nothing to do with each other, which one was last; here it must not be that of the younger process.
 *
 * expect: safety violated, assertion
 * reduction: on
 */
active proctype A() { byte v; v = 1 }
active proctype B() { byte v; v = 1 }
active proctype C() { end: (timeout && _last == 1) -> assert(false) }
