byte n;
inline f() { n++; L: n++; if :: n < 30 -> goto L :: else fi }
active proctype P() { n = 1; L: n = n + 10; f(); n = 0 }
