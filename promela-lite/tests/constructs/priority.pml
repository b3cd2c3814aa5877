/* Priorities of proctypes and of single processes. */
byte n;
active proctype P() priority 3 { n = 1 }
proctype Q() priority 2 { n = 2 }
init priority 4 { run Q(); run Q() priority 5 }
