/*
 * Structures.
 *
 * expect: safety holds
 * graph: 36 states, 21 matched, 0 atomic, 0 errors
 */
typedef inner { byte a; short b[2] };
typedef outer { inner f[2]; bit z };
outer o; outer p[2];
active proctype P() { byte i; do :: i < 2 -> o.f[i].b[1 - i] = i + 1; p[i].f[1].a = o.f[i].b[1 - i]; i++ :: else -> break od; p[1].z = 1 }
active proctype Q() { p[0].f[1].a == 1 -> o.z = 1 }
