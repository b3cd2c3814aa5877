chan c = [3] of { bit, byte, byte }; byte made, got; byte wrong;
active proctype S() { bit b; do
  :: c!b,made,got; made = (made + 1) % 4; b = 1 - b
  od
}
active proctype R() { bit b, e; byte n, m; do
  :: c?b,n,m -> got = n; if
  :: b != e -> wrong++
  :: else fi; e = 1 - e
  od
}
