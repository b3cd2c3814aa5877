/* Children outlive their parents. */
byte sum;
proctype Child(byte v) { byte t; t = v; atomic { sum = sum + t } }
proctype Parent(byte v) { run Child(v); run Child(v + 1) }
init { run Parent(1); run Parent(3); run Parent(5) }
