/* A bounded buffer with a mutex and conditions, and statistics. */
bool mutex; byte items; int put, got, waits;
#define enter atomic { !mutex -> mutex = 1 }
#define leave mutex = 0
active [2] proctype Producer() { byte i; do :: i < 3 -> enter; if :: items < 2 -> items++; put++; i++ :: else -> waits++ fi; leave :: else -> break od }
active [2] proctype Consumer() { byte i; do :: i < 3 -> enter; if :: items > 0 -> items--; got++; i++ :: else -> waits++ fi; leave :: else -> break od }
