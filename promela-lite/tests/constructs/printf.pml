/* Output: all conversions, escapes, and printm. */
mtype = { hello };
byte x;
active proctype P() { printf("x=%d %c %e %o %u %x%%\n\t\"q\"", x, 'a', hello, x, x, x); printm(hello); printf("none") }
