init { x = 1 ` }
