proctype P() { skip }
init { byte p = run P(); p = 0 }
