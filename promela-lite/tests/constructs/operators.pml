/* All operators with their precedences. */
int a, b, c;
active proctype P() {
    a = a + b * c - a / (b + 1) % 3;
    a = a << 1 + 1 >> 2;
    a = a & b | c ^ a & ~b;
    (a == b & c != a | a < b && b <= c || c > a && !(a >= b));
    a = -b - -1;
    a = !b + !(!c);
    (a | b == c ^ a);
    a = a && b || c
}
