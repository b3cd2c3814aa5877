/* Sets of constants of their own. */
mtype:fruit = { apple, pear };
mtype:colour = { red, blue };
mtype:fruit f = pear;
active proctype P() { mtype:colour c; c = blue; f = apple; printm(f) }
