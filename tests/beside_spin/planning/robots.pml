/* Two robots on a grid that never stand on the same square; energy is counted. */
byte x1, y1, x2 = 2, y2 = 2; int energy1, energy2;
#define free1(x, y) !(x2 == (x) && y2 == (y))
#define free2(x, y) !(x1 == (x) && y1 == (y))
active proctype R1() { do :: atomic { x1 < 2 && free1(x1 + 1, y1) -> x1++ }; energy1++ :: atomic { x1 > 0 && free1(x1 - 1, y1) -> x1-- }; energy1++ :: atomic { y1 < 2 && free1(x1, y1 + 1) -> y1++ }; energy1++ :: atomic { y1 > 0 && free1(x1, y1 - 1) -> y1-- }; energy1++ od }
active proctype R2() { do :: atomic { x2 < 2 && free2(x2 + 1, y2) -> x2++ }; energy2++ :: atomic { x2 > 0 && free2(x2 - 1, y2) -> x2-- }; energy2++ :: atomic { y2 < 2 && free2(x2, y2 + 1) -> y2++ }; energy2++ :: atomic { y2 > 0 && free2(x2, y2 - 1) -> y2-- }; energy2++ od }
ltl apart { [] !(x1 == x2 && y1 == y2) }
