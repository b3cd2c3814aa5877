inline f() { skip }
init { skip }
