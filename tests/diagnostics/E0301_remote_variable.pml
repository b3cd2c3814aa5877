active proctype P() { byte count; count = 1 }
init { P:coumt == 1 }
