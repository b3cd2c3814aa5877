byte a, b; byte poured, steps;
active proctype Jugs() { do
  :: a < 3 -> poured = a; a = 3; steps++
  :: b < 5 -> b = 5; steps++
  :: a > 0 -> a = 0; steps++
  :: b > 0 -> b = 0; steps++
  :: a > 0 && b < 5 -> if
  :: a + b > 5 -> a = a + b - 5; b = 5
  :: else -> b = a + b; a = 0 fi; steps++
  :: b > 0 && a < 3 -> if
  :: a + b > 3 -> b = a + b - 3; a = 3
  :: else -> a = a + b; b = 0 fi; steps++
  od
}
active proctype Goal() { assert(b != 4) }
