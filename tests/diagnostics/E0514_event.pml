chan q = [1] of { byte };
byte x;
init { q!1; x = 1 }
trace { q!1; x == 1; q?1 }
