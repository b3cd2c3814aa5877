/*
 * A channel dies with its process.
 *
 * expect: safety violated
 * finds: BadChannel { id: 1 }; deadlock
 */
chan c; proctype P() { chan own = [1] of { byte }; c = own }
init { run P(); (_nr_pr == 1); c!1 }
