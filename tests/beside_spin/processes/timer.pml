/* A request with a timer process; whichever answers first decides. */
mtype = { answer, late };
proctype Timer(chan c) { c!late }
proctype Server(chan c) { byte w; w = 3; w = 0; c!answer }
proctype Request() {
  chan c = [2] of { mtype }; mtype m;
  run Timer(c); run Server(c);
  if :: c?answer :: c?late fi
}
init { run Request(); run Request() }
