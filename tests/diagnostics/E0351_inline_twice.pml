inline f() { skip }
inline f() { break }
init { f() }
