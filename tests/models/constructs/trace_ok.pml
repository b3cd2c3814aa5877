/*
 * Trace ok.
 *
 * expect: safety holds
 * graph: 11 states, 2 matched, 0 atomic, 0 errors
 */
chan c = [1] of { byte }; chan d = [1] of { byte };
active proctype A() { c!1; d!5; c!2 }
active proctype B() { c?_; d?_; c?_ }
trace { c!1; c?1; c!2; c?2 }
