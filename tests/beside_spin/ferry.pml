bool man, wolf, goat, kale; byte crossings;
active proctype River() { do
  :: man = 1 - man; crossings++
  :: man == wolf -> atomic { man = 1 - man; wolf = man }; crossings++
  :: man == goat -> atomic { man = 1 - man; goat = man }; crossings++
  :: man == kale -> atomic { man = 1 - man; kale = man }; crossings++
  od
}
