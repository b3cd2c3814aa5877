/*
 * The smallest number divided by minus one wraps.
 *
 * expect: safety holds
 * finds: nothing
 */
int i = 1; active proctype A() { i = i << 31; i = i / -1; assert(i < 0); i = i % -1; assert(i == 0) }
