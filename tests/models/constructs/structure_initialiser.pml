/*
 * Structure initialiser.
 *
 * expect: safety holds
 * graph: 5 states, 0 matched, 0 atomic, 0 errors
 */
typedef R { byte a; byte b }; R r[2] = 255; R s = 7; active proctype P() { s.a++; r[1].b++; assert(s.a == 1 && r[1].b == 1) }
