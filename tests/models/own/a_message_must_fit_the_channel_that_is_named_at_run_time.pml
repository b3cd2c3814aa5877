/*
 * A message must fit the channel that is named at run time.
 *
 * expect: safety violated
 * finds: MessageShape { expected: 2, found: 1 }
 */
chan a = [1] of { byte, byte }; active proctype P() { chan c; c = a; c!1 }
