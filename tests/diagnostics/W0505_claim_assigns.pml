byte x;
init { x = 1 }
never { do :: x = 2 od }
