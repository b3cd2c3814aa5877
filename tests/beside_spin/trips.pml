byte x; short trips;
active proctype P() { do
  :: x < 3 -> x++; trips++
  :: x > 0 -> x--; trips++
  od
}
