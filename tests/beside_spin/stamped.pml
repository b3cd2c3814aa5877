chan c = [2] of { bit, byte, byte }; byte now;
active proctype S() { bit b; do
  :: c!b,now,3 - now; now = (now + 1) % 4; b = 1 - b
  od
}
active proctype R() { bit b, last; byte t, u; do
  :: c?b,t,u; last = b
  od
}
