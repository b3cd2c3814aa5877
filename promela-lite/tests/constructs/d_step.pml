/* A deterministic sequence in one step. */
byte x, y;
active proctype P() { d_step { x = 1; y = x + 1; assert(y == 2) }; x = 3 }
