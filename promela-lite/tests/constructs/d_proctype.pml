/* A process type that must never have a choice. */
active D_proctype P() { byte x; do :: x < 2 -> x++ :: else -> break od }
