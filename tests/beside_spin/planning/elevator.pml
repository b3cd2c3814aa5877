/* An elevator; what it travels is added up. */
byte at; bit call[4]; int travelled, served;
active proctype Lift() {
  do
  :: at < 3 && (call[1] || call[2] || call[3]) -> at++; travelled++
  :: at > 0 -> at--; travelled++
  :: d_step { call[at] -> call[at] = 0; served++ }
  od
}
active proctype People() { byte f; do :: select (f : 0 .. 3); call[f] = 1 od }
