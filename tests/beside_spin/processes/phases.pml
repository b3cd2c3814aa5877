/* Two phases of workers; the second begins when all of the first have answered. */
byte ready;
proctype First(chan c) { byte i; i = 1; i = 2; c!1 }
proctype Second() { byte i; i = ready; assert(i == 3) }
init {
  chan c = [1] of { bit };
  run First(c); run First(c); run First(c);
  c?_; ready++; c?_; ready++; c?_; ready++;
  run Second(); run Second()
}
