/* A token is handed from a process to the one that it starts. */
byte tokens = 1;
proctype Holder(byte n) {
  assert(tokens == 1);
  if :: n > 0 -> run Holder(n - 1) :: else -> tokens = 0 fi
}
init { run Holder(6) }
