/*
 * A receive that moves the index it stores to: nothing is wrong on the other branch.
 *
 * expect: safety holds
 */
byte a[2], i; chan c = [1] of { byte, byte };
active proctype P() { c!7,1; if :: c?a[i],i :: skip; assert(a[0] == 0) fi }
