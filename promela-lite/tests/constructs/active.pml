/* Processes that exist at the start; parameters of active processes are zero. */
byte n;
active proctype P(byte a) { n = n + a }
active [3] proctype Q() { n++ }
