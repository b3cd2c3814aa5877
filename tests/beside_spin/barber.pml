chan chairs = [3] of { byte };
int turned, shaved;
active [2] proctype Customer() { do
  :: nfull(chairs) -> chairs!_pid
  :: full(chairs) -> turned++
  od
}
active proctype Barber() { byte who; do
  :: chairs?who -> shaved++
  od
}
