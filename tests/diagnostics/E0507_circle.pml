init { A: goto B; B: goto A }
