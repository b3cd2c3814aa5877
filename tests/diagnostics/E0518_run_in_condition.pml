proctype P() { skip }
chan q = [1] of { byte };
init { run P() > 0; q!run P() }
