init { f() }
inline f() { skip }
