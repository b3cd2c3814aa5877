/* A barrier that is used again and again. */
byte count, round;
active [3] proctype P() {
  byte my, work;
  do
  :: my < 2 -> work = work + my; my++;
     atomic { count++; if :: count == 3 -> count = 0; round++ :: else fi };
     round == my
  :: else -> break
  od
}
