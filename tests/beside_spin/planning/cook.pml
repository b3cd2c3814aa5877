/* Dishes are cooked on two stoves; statistics per dish. */
typedef Dish { byte state; int minutes; int stirred }
Dish dish[3]; byte stoves = 2;
active proctype Cook() {
  byte d;
  do
  :: select (d : 0 .. 2);
     if
     :: dish[d].state == 0 && stoves > 0 -> stoves--; dish[d].state = 1
     :: dish[d].state == 1 -> dish[d].minutes++; dish[d].stirred = dish[d].stirred + 2
     :: dish[d].state == 1 -> dish[d].state = 2; stoves++
     :: dish[d].state == 2 -> dish[d].state = 0
     fi
  od
}
