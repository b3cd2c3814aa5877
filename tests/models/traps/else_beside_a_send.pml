/*
 * Else beside a send.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [1] of { byte };
active proctype P() { if :: c!1 :: else -> assert(false) fi }
active proctype Q() { c!2; byte v; c?v }
