/* _last: who made the last step. */
byte x;
active [2] proctype P() { x++; x-- }
never { do :: _last == 0 :: _last != 0 -> break od }
