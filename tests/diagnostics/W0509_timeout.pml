byte x;
init { d_step { x = 1; timeout; x = 2 } }
