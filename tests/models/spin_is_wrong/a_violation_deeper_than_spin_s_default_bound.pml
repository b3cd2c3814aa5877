/*
 * A violation deeper than SPIN's default bound.
 *
 * expect: safety violated
 */
int n; init { do :: n < 30000 -> n++ :: else -> break od; assert(false) }
