byte a, b; byte sum, twice, mean, most;
active proctype P() { do
  :: a < 3 -> a++; sum = (sum + a) % 4; twice = 2 * sum; mean = twice / 4
  :: a > 0 -> a--; most = (a > b -> a : b)
  od
}
active proctype Q() { do
  :: b < 2 -> b++; sum = (sum + b) % 4
  :: b > 0 -> b--
  od
}
