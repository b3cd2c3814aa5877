mtype = { red, green, amber }; mtype l = red;
int changes; byte cars; short passed;
active proctype Light() { do
  :: l == red -> l = green;
changes++
  :: l == green -> l = amber;
changes++
  :: l == amber -> l = red;
changes++
  od
}
active proctype Cars() { do
  :: cars < 3 -> cars++
  :: l == green && cars > 0 -> cars--; passed++
  od
}
