/* The number of the control state of a process. */
byte x;
active proctype P() { x = 1; x = 2 }
never { do :: pc_value(0) < 3 od }
