proctype P() { skip }
byte P;
proctype P() { skip }
init { run P() }
