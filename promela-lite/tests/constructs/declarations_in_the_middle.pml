/* A declaration behind a statement is a step that sets the variable again. */
typedef T { byte f = 3; byte g }
active proctype P() { byte a; a = 1; byte b = a + 1; byte c; byte d[3]; T t; b = c + d[0] + t.f; a = b }
