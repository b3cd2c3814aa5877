byte x y;
byte 3x;
byte a[];
chan q = [2] of byte;
mtype { a b c }
init { skip }
