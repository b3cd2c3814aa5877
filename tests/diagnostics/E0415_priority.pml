active proctype P() priority 0 { skip }
init { run P() priority 300 }
