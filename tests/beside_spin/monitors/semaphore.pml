/* A counting semaphore for two of four. */
byte free = 2, used;
active [4] proctype User() {
  byte t;
  do :: t < 2 ->
    atomic { free > 0 -> free-- };
    used++; assert(used <= 2); used--;
    free++; t++
  :: else -> break od
}
