/*
 * What a step goes round with is looked at.
 *
 * expect: safety violated
 */
byte n;
active proctype P() { d_step { do :: n++ od } }
