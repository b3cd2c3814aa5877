/* run is an expression whose value is the new process' number. */
byte n;
proctype P(byte a) { n = n + a }
init { pid p; p = run P(1); run P(p); if :: (run P(2)) -> skip fi }
