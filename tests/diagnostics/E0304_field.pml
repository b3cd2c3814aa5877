typedef Point { byte x; byte y }
Point p;
byte q;
init { p.z = 1; q.x = 2 }
