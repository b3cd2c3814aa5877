/*
 * The mirror: the receive stores where the index was.
 *
 * expect: safety violated
 */
byte a[2], i; chan c = [1] of { byte, byte };
active proctype P() { c!7,1; if :: c?a[i],i; assert(a[0] == 0) :: skip fi }
