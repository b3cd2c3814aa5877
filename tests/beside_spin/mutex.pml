bool busy;
int entered[3];
int waited;
active [3] proctype P() { do
  :: atomic { !busy; busy = true }; entered[_pid]++; assert(busy); busy = false
  :: waited++
  od
}
