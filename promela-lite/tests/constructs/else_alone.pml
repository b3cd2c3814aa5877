/* else as the only option. */
active proctype P() { if :: else -> skip fi }
