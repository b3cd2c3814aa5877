/*
 * An observer that asks for the opposite.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [2] of { byte };
active proctype S() { bit l; l = 1; c!1 }
active proctype O() { empty(c) -> assert(false) }
