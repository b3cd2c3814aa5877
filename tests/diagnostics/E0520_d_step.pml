proctype P() { skip }
byte x;
init {
    d_step { x = 1; run P() };
    d_step { x = 2; { x = 3 } unless { x == 4 } }
}
