byte g;
init { g = 1; byte a[2] = 3; a[0] = g }
