typedef T { byte i }
T t;
chan c;
byte a[2];
init { for (t : 1 .. 3) { skip }; for (c : 1 .. 3) { skip }; select (a[0] : 1 .. 2) }
