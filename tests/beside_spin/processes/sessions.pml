/* A listener starts a session per client; the client gets a channel of its own. */
chan door = [0] of { chan };
proctype Session(chan c) { byte x; c?x; c!x + 1 }
proctype Listener() { chan c; end: do :: door?c -> run Session(c) od }
proctype Client(byte k) { chan c = [0] of { byte }; byte x; door!c; c!k; c?x; assert(x == k + 1) }
init { atomic { run Listener(); run Client(1); run Client(5); run Client(9) } }
