/*
 * Else beside a receive.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [1] of { byte };
active proctype P() { byte v; if :: c?v :: else -> assert(false) fi }
active proctype Q() { c!1 }
