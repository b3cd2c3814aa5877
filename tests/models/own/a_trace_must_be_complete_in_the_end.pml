/*
 * A trace must be complete in the end.
 *
 * expect: safety violated
 * finds: deadlock
 */
chan c = [2] of { byte }; active proctype A() { c!1; (false) } trace { c!1; c!2 }
