byte a = 2, b = 2;
int moved, refused;
active proctype T0() { do
  :: atomic { a > 0 -> a--; b++ }; moved++
  :: a == 0 -> refused++
  od
}
active proctype T1() { do
  :: atomic { b > 0 -> b--; a++ }; moved++
  :: b == 0 -> refused++
  od
}
active proctype Audit() { atomic { assert(a + b == 4) } }
