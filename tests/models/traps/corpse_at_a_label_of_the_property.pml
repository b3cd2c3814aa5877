/*
 * Corpse at a label of the property.
 *
 * expect: there violated
 * reduction: on
 */
proctype A() { skip; done: skip }
init { run A(); run A() }
ltl there { [] !(A[1]@done && A[2]@done) }
