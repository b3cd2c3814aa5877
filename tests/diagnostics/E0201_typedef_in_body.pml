init { typedef T { byte a }; skip }
