/*
 * A semaphore without a queue.
 *
 * expect: p violated
 * expect-f: p violated
 * expect-weak: p violated
 * expect-strong: p holds
 */
bit s; byte at;
active [2] proctype P() { do :: atomic { s == 0 -> s = 1 }; at = _pid + 1; at = 0; s = 0 od }
ltl p { [] <> (at == 1) }
