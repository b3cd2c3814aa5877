byte h0, h1, h2, h3; byte x;
active proctype P() { do
  :: x < 4 -> h3 = h2; h2 = h1; h1 = h0; h0 = x; x++
  :: x > 0 -> x--
  od
}
