byte _pid;
init { skip }
