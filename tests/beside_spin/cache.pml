mtype = { none, shared, own }; mtype s0 = none, s1 = none;
int hits, misses;
active proctype C0() { do
  :: s0 == none -> atomic { if
  :: s1 == own -> s1 = shared
  :: else fi; s0 = shared }; misses++
  :: s0 != none -> hits++
  :: atomic { s0 = own; s1 = none }; misses++
  :: s0 = none
  od
}
active proctype C1() { do
  :: s1 == none -> atomic { if
  :: s0 == own -> s0 = shared
  :: else fi; s1 = shared }; misses++
  :: s1 != none -> hits++
  :: atomic { s1 = own; s0 = none }; misses++
  :: s1 = none
  od
}
