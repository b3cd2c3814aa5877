/* Initial values are expressions over what is declared before. */
byte n = 3;
byte m = n + 1;
byte a[4] = { 1, 2 };
active proctype P() { byte x = m * 2; byte y = x; x = y + a[3] }
