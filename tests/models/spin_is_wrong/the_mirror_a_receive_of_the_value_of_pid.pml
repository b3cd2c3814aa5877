/*
 * The mirror: a receive of the value of _pid.
 *
 * expect: safety holds
 */
chan c = [1] of { byte }; active proctype P() { c!0; c?eval(_pid); assert(_pid == 0) }
