/*
 * What stands beside a rendezvous is possible until a process is started that waits for it.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [0] of { byte }; bit go;
active proctype P() { (go == 1); if :: c!1 :: else -> assert(false) fi }
active proctype S() { go = 1; run Q() }
proctype Q() { byte v; end: c?v }
