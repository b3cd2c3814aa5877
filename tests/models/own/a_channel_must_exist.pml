/*
 * A channel must exist.
 *
 * expect: safety violated
 * graph: 1 states
 * finds: UninitialisedChannel; deadlock
 */
chan d = [1] of { byte }; chan c; active proctype A() { c!1 }
