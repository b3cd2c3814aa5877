mtype = { red };
init { red = 1 }
