/* Every scalar type, with and without an initial value. */
bit b1 = 1; bool b2 = true; byte b3 = 255; short s = -1; int i = -70000; unsigned u : 5 = 31; pid p = 3; chan c;
mtype = { one };
mtype m = one;
bit z1; bool z2; byte z3; short z4; int z5; unsigned z6 : 17; pid z7; mtype z8;
active proctype P() { z1 = b1; z2 = b2; z3 = b3; z4 = s; z5 = i; z6 = u; z7 = p; z8 = m; c = c }
