/*
 * A receive into _pid: SPIN overwrites it.
 *
 * expect: model refused
 */
chan c = [1] of { byte }; active proctype P() { c!5; c?_pid; assert(_pid == 0) }
