byte counter;
init { countre = 1; other = 2 }
