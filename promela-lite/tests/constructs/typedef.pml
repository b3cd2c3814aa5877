/* Nested structures with arrays and initial values. */
typedef In { byte a = 7; short b[2] }
typedef Out { bit f; In in[2]; int z = -1 }
Out g;
active proctype P() { Out l; byte i; l.in[i].b[1] = g.z; g.in[1].a = l.in[0].a; g.f = 1 }
