/*
 * Else beside a receive mirrored.
 *
 * expect: safety holds
 * reduction: on
 */
chan c = [1] of { byte };
active proctype P() { byte v; nempty(c); if :: c?v :: else -> assert(false) fi }
active proctype Q() { c!1 }
