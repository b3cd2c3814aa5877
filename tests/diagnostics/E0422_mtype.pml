mtype = { on };
mtype:fruit = { apple };
mtype:colour = { red };
mtype:fruit f = red;
proctype P(mtype:colour c) { c = apple }
init { f = on; run P(apple) }
