/* Symbolic constants are numbered from the last to the first. */
mtype = { red, green };
mtype = { blue };
mtype m = green;
active proctype P() { m = red; printm(m); assert(m != blue) }
