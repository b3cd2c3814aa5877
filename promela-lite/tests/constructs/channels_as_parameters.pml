/* Channels are handed over at run time. */
proctype P(chan in, out) { byte v; in?v; out!v }
init { chan a = [1] of { byte }; chan b = [1] of { byte }; atomic { run P(a, b); run P(b, a) }; a!1 }
