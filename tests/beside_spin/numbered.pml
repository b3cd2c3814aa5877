chan c = [2] of { byte, byte }; byte seq;
active proctype S() { do
  :: c!1,seq; seq++
  :: c!2,seq; seq++
  od
}
active proctype R() { byte k; byte u; do
  :: c?k,u
  od
}
