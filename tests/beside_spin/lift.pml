byte floor;
int travelled; byte stops;
active proctype Lift() { do
  :: floor < 6 -> floor++; travelled++
  :: floor > 0 -> floor--; travelled++
  :: stops++
  od
}
active proctype Guard() { assert(floor <= 6) }
