init { printf("a" + "b"); assert("x"); printf(1) }
