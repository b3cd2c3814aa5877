chan q = [1] of { byte, byte };
byte x;
init { q?x, x }
