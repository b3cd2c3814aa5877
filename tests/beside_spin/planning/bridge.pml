/* Four people cross a bridge with one torch; the time is added up. */
bit side[4]; bit torch; short time;
active proctype P() {
  byte i, j;
  do
  :: select (i : 0 .. 3); select (j : 0 .. 3);
     if
     :: atomic { side[i] == torch && side[j] == torch -> side[i] = 1 - torch; side[j] = 1 - torch; torch = 1 - torch; time = time + (i > j -> i : j) + 1 }
     :: else
     fi
  od
}
