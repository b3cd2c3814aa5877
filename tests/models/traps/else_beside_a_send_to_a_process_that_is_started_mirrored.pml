/*
 * What stands beside a rendezvous is not possible once a process is started that waits for it.
 *
 * expect: safety holds
 * reduction: on
 */
chan c = [0] of { byte }; bit go;
active proctype P() { (go == 1); if :: c!1 :: else -> assert(false) fi }
active proctype S() { run Q(); go = 1 }
proctype Q() { byte v; end: c?v }
