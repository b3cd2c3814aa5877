byte len;
byte do;
proctype init() { skip }
init { len = 1 }
