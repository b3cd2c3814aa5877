/*
 * Pids depend on who ends first.
 *
 * expect: safety violated
 * reduction: on
 */
byte n;
proctype P() { n = n + 1 }
init { run P(); byte k; k = run P(); assert(k == 2) }
