active proctype P(byte a) provided (a == 0) { L: skip }
active proctype Q() provided (P@L) { skip }
