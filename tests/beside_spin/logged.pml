byte log[8]; byte n; bit x;
active [2] proctype P() { do
  :: atomic { x == 0; x = 1 }; log[n % 8] = _pid; n++; x = 0
  od
}
