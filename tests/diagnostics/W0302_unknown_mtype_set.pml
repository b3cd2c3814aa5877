mtype:fruit = { apple };
mtype:friut f;
init { f = apple }
