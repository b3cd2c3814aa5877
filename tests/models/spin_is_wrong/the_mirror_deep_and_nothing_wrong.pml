/*
 * The mirror: deep, and nothing wrong.
 *
 * expect: safety holds
 */
int n; init { do :: n < 30000 -> n++ :: else -> break od; assert(n == 30000) }
