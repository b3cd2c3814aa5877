/* An inline that is called for its value. */
byte x;
inline twice(v) { return v * 2 }
active proctype P() { x = twice(4) }
