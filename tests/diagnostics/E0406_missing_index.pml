typedef T { byte f }
byte a[3];
T t[2];
chan q = [1] of { byte };
init { a = 1; t.f = 2; q?a; q!a }
