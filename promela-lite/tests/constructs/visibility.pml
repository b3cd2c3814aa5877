/* hidden, show and local variables. */
hidden byte h;
show byte s = 1;
local byte l;
active proctype P() { show byte x; h = s; l = h; x = l }
