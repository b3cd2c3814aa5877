/* Taken when nothing else is possible. */
bool b;
active proctype P() { if :: b -> skip :: timeout -> b = true fi }
active proctype Q() { (b && !timeout) }
