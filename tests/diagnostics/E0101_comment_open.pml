byte x;
/* the rest
init { skip }
