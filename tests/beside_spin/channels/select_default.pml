/* A send that is given up when nobody is there. */
proctype Try(chan c; chan out) { if :: c!1 -> out!1 :: else -> out!0 fi }
proctype Recv(chan c) { end: c?_ }
init { chan c = [1] of { bit }; chan out = [2] of { bit }; run Recv(c); run Try(c, out); run Try(c, out); out?_; out?_ }
