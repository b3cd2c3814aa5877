init { printf("%d and %d\n", 1); printf("none\n", 2) }
