/* Go's channels with a monitor that notices a send on a closed channel. */
typedef Ch { chan sync = [0] of { byte }; chan enq = [0] of { bit }; chan closing = [0] of { bit } }
proctype Monitor(Ch c) { bit closed; end: do :: c.enq?_ -> assert(!closed) :: c.closing?_ -> assert(!closed); closed = 1 od }
proctype Prod(Ch c) { c.enq!1; c.sync!1; c.enq!1; c.sync!2; c.closing!1 }
proctype Cons(Ch c) { byte v; c.sync?v; c.sync?v; assert(v == 2) }
proctype Main() { Ch c; run Monitor(c); run Prod(c); run Cons(c) }
init { run Main(); run Main() }
