/* Buffered and rendezvous channels, and arrays of them. */
chan q = [2] of { byte, int };
chan r = [0] of { bit };
chan a[2] = [1] of { short };
active proctype P() { chan l = [3] of { byte }; byte i; q!1, 2; a[i]!3; l!4 }
active proctype Q() { r!1 }
active proctype R() { bit b; r?b }
