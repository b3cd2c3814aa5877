/*
 * Dead variables that are looked at.
 *
 * expect: value violated
 * expect: keeps holds
 * reduction: on
 */
active proctype P() { byte x; x = 5; x = 5; skip; skip; stop: false }
active proctype Q() { byte l; l = 1; l = 2 }
ltl value { [] !(P@stop && P:x == 5) }
ltl keeps { [] (P@stop -> P:x == 5) }
