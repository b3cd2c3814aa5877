chan q = [1] of { byte, byte };
byte x, y, z;
init { q!1; q?x; q?x, y, z }
