/* Blocks are stacked and unstacked; how often is counted. */
byte on[3] = 9; bit clear[3] = 1; int ups, downs;
active [2] proctype Arm() {
  byte b, c;
  do
  :: select (b : 0 .. 2); select (c : 0 .. 2);
     if
     :: atomic { b != c && clear[b] && clear[c] && on[b] == 9 -> on[b] = c; clear[c] = 0 }; ups++
     :: atomic { clear[b] && on[b] == c && c < 3 -> clear[c] = 1; on[b] = 9 }; downs++
     :: else
     fi
  od
}
