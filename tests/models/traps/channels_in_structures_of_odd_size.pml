/*
 * Channels that lie three bytes apart: the element that the index names is another process' channel.
 *
 * expect: safety violated, assertion
 * reduction: on
 */
typedef T { chan c = [2] of { byte }; byte b }
T s[2];
active proctype P() { byte i = 1; s[i].c!1 }
active proctype Q() { byte x; s[1].c!2; s[1].c?x; assert(x == 2) }
