byte x;
int lines;
active proctype P() { do
  :: x < 5 -> printf("%d\n", lines); lines++; x++
  :: x > 0 -> printf("%d\n", x); lines++; x--
  od
}
