/*
 * A notrace must not be complete.
 *
 * expect: safety violated
 * finds: Trace
 */
chan c = [3] of { byte }; active proctype A() { c!1; c!2; c!3 } notrace { c!1; c!2 }
