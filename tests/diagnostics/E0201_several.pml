byte x
proctype P( { x = 1 }
proctype Q() { x = ; x = 2; if :: x == fi; x = 3 }
init { run P(; run Q() }
byte y = ;
