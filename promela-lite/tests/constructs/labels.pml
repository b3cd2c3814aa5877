/* end, accept and progress labels; several labels at one place; a label before a brace. */
byte x;
active proctype P() {
end0: acc: x = 1;
accept_here: do :: x = 2; progress1: x = 3 :: break od;
progress2: { x = 4; x = 5 };
endless: goto endless
}
