/* A supervisor starts its worker again when it has failed. */
proctype Worker(chan out) { if :: out!0 :: out!1 fi }
proctype Supervisor() {
  chan out = [0] of { bit }; bit ok; byte tries;
  do
  :: tries < 3 -> run Worker(out); tries++; out?ok; if :: ok -> break :: else fi
  :: else -> break
  od
}
init { run Supervisor(); run Supervisor() }
