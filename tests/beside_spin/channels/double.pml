/* The same structure is used by two pairs of processes. */
typedef Pipe { chan in = [0] of { byte }; chan out = [0] of { byte }; int used }
proctype A(Pipe p) { byte v; p.in?v; p.out!v + 1 }
proctype B(Pipe p) { byte v; p.in!1; p.out?v; assert(v == 2) }
proctype Main() { Pipe p; run A(p); run B(p) }
init { run Main(); run Main() }
