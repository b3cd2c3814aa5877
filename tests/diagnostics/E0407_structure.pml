typedef T { byte f }
T t, u;
init { t = u; t == u; printf("%d", t) }
