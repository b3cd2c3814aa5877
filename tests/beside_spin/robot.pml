byte px, py;
int cost; byte last;
active proctype Robot() { do
  :: px < 4 -> px++; cost++; last = 1
  :: px > 0 -> px--; cost++; last = 2
  :: py < 4 -> py++; cost++; last = 3
  :: py > 0 -> py--; cost++; last = 4
  od
}
