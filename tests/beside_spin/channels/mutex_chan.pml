/* A buffered channel of one message as a mutex. */
byte n;
proctype P(chan m; chan wg) { m!1; n++; assert(n == 1); n--; m?_; wg!1 }
init { chan m = [1] of { bit }; chan wg = [3] of { bit }; run P(m, wg); run P(m, wg); run P(m, wg); wg?_; wg?_; wg?_ }
