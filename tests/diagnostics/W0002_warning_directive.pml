#warning N is not set
init { skip }
