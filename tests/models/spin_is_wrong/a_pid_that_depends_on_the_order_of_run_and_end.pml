/*
 * A pid that depends on the order of run and end.
 *
 * expect: safety violated
 */
init { run f() } active proctype f() { assert(_pid == 1) }
