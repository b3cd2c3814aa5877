/* The indices of an array. */
byte a[3], i;
active proctype P() { for (i in a) { a[i] = i } }
