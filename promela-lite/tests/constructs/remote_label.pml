/* Where another process is. */
byte x;
active [2] proctype P() { A: x = 1; B: goto A }
active proctype Q() { P[1]@A; P[x]@B && !P@A }
