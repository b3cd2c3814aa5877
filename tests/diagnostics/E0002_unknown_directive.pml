#defien N 3
