typedef Rec { byte who; short when; bit done }; Rec r[2]; byte now; byte turn;
active proctype P() { do
  :: turn == 0 -> r[0].who = 1; r[0].when = now; now++; turn = 1
  od
}
active proctype Q() { do
  :: turn == 1 -> r[1].who = 2; r[1].when = now; r[1].done = 1 - r[1].done; turn = 0
  od
}
