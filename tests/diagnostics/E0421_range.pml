byte i;
init { for (i : 3 .. 1) { skip }; select (i : 5 .. 2) }
