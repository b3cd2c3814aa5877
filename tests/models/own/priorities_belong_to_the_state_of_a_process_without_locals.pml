/*
 * Priorities belong to the state of a process without locals.
 *
 * expect: safety holds
 * graph: 8 states
 * finds: nothing
 */
active proctype A() { set_priority(1, 5); set_priority(1, 1) } active proctype B() { skip }
