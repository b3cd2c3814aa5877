protype P() { skip }
active proctyp Q() { skip }
init { run P() }
