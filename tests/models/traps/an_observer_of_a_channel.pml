/*
 * An observer of a channel.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [2] of { byte };
active proctype S() { c!1; c!2 }
active proctype R() { byte v; c?v; c?v }
active proctype O() { assert(!c?[2]) }
