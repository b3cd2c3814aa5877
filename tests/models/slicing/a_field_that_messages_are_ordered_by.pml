/*
 * A field that nobody reads, by which messages are sorted.
 *
 * expect: safety violated, assertion
 */
chan c = [2] of { byte, byte };
active proctype P() { byte k; c!!2,1; c!!1,2; c?_,k; assert(k != 2) }
