/* Parameters are replaced by the arguments' text. */
byte x, y;
inline set(v, e) { v = e; assert(v == e) }
inline both(e) { set(x, e); set(y, e + 1) }
active proctype P() { both(3) }
