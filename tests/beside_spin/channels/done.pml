/* A worker that ends when a done channel is closed. */
proctype Gen(chan out; chan done) { byte i; do :: out!i -> i = (i + 1) % 4 :: done?_ -> break od }
init { chan out = [0] of { byte }; chan done = [0] of { bit }; byte a, b; run Gen(out, done); out?a; out?b; assert(b == a + 1); done!1 }
