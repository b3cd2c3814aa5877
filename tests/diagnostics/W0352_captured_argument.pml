byte u;
inline swap(a, b) { int t; t = a; a = b; b = t }
init { int t; swap(t, u) }
