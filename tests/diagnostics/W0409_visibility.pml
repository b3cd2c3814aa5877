init { local byte x; x = 1 }
