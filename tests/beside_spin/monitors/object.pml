/* Method calls on an object: a request with a channel for the answer. */
mtype = { inc, get };
chan object = [0] of { mtype, chan };
active proctype Object() {
  byte n; chan r; end: do :: object?inc,r -> n++; r!n :: object?get,r -> r!n od
}
proctype Caller() { chan r = [0] of { byte }; byte v, w; object!inc,r; r?v; object!get,r; r?w; assert(w >= v) }
init { run Caller(); run Caller() }
