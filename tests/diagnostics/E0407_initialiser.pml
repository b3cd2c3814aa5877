typedef T { byte f }
T t = 3;
init { t.f = 1 }
