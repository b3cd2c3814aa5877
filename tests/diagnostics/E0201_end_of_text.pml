byte x;
init { x = 1; if :: x
