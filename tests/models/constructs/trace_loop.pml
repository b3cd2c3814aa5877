/*
 * Trace loop.
 *
 * expect: safety holds
 * graph: 4 states, 1 matched, 0 atomic, 0 errors
 */
mtype = { req, ack };
chan c = [1] of { mtype }; chan d = [1] of { mtype };
active proctype A() { do :: c!req; d?ack od }
active proctype B() { do :: c?req; d!ack od }
trace { do :: c!req; c?req; d!ack; d?ack od }
