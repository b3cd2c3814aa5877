byte n;
byte a[n + 1];
chan q = [n] of { byte };
active [n] proctype P() { a[0] = 1; q!1 }
