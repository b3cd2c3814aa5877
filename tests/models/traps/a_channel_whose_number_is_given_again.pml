/*
 * The maker of a channel ends, and another process gets its number: who still knows it uses the channel of that one. The
 * assertion holds only then.
 *
 * expect: safety violated, assertion
 * reduction: on
 */
chan left; byte go, done;
proctype M() { chan c = [1] of { byte }; left = c }
proctype N() { chan c = [1] of { byte }; go = 1; (done == 1); assert(len(c) == 1) }
active proctype P() { (go == 1); left!1; done = 1 }
active proctype S() { run M(); (left != 0); run N() }
