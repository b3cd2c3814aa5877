/* The initial process. */
init { skip }
