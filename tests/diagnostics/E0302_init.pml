init { skip }
init { skip }
