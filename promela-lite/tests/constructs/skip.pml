/* Statements that do nothing: skip, true, a number. */
active proctype P() { skip; true; 1; (1); if :: skip; skip; skip :: true fi }
