byte x;
init { do :: L: x = 1; goto L :: x == 1 -> break od }
