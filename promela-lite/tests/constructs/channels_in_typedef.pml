/* Channels as fields. */
typedef Port { chan in = [1] of { byte }; byte id }
Port p[2];
active proctype P() { byte v; p[0].in!1; p[p[1].id].in?v }
