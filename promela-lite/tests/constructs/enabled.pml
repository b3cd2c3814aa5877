/* Whether another process has an executable statement. */
byte x;
active proctype P() { x == 1 }
active proctype Q() { x = 1 }
never { do :: enabled(0) || !enabled(1) od }
