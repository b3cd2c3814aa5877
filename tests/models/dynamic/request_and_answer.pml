/*
 * Every client has its own channels to the server that was started for it.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Server(chan ask, answer) { byte v; end: do :: ask?v -> v = v + 1; answer!v od }
proctype Client(byte n) {
  chan ask = [0] of { byte }; chan answer = [0] of { byte }; byte v;
  run Server(ask, answer); ask!n; answer?v; assert(v == n + 1); ask!v; answer?v; assert(v == n + 2)
}
init { run Client(1); run Client(2); run Client(3) }
