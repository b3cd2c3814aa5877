/* Three jugs: how many steps it takes is counted. */
byte a = 8, b, c; int steps;
#define pour(x, y, max) atomic { x > 0 && y < max -> if :: x <= max - y -> y = y + x; x = 0 :: else -> x = x - (max - y); y = max fi }; steps++
active proctype P() { do :: pour(a, b, 5) :: pour(a, c, 3) :: pour(b, a, 8) :: pour(b, c, 3) :: pour(c, a, 8) :: pour(c, b, 5) od }
