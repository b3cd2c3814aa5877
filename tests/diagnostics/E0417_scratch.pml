byte x;
init { x = _ }
