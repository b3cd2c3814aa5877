/* The towers of Hanoi, with a count of moves. */
byte on[4]; int moves;
active proctype P() {
  byte d, k;
  do
  :: d_step { on[0] != 1 -> on[0] = 1; moves++ }
  :: d_step { on[0] != 2 -> on[0] = 2; moves++ }
  :: d_step { on[0] != 0 -> on[0] = 0; moves++ }
  :: d_step { on[1] != on[0] && on[0] != (on[1] + 1) % 3 -> on[1] = (on[1] + 1) % 3; moves++ }
  :: d_step { on[1] != on[0] && on[0] != (on[1] + 2) % 3 -> on[1] = (on[1] + 2) % 3; moves++ }
  :: d_step { on[2] != on[1] && on[2] != on[0] && on[0] == on[1] -> on[2] = 3 - on[2] - on[1]; moves++ }
  od
}
