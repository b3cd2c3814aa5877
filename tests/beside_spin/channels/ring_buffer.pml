/* A ring buffer of structures; statistics are kept. */
typedef Slot { byte v; int stamp }
Slot buf[3]; byte r, w; int stamp, refused;
active proctype Writer() { byte i; do :: i < 5 -> if :: (w + 1) % 3 != r -> stamp++; buf[w].v = i; buf[w].stamp = stamp; w = (w + 1) % 3; i++ :: else -> refused++ fi :: else -> break od }
active proctype Reader() { byte i; do :: i < 5 -> if :: r != w -> assert(buf[r].v == i); r = (r + 1) % 3; i++ :: else -> skip fi :: else -> break od }
