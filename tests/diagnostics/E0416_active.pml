active [-1] proctype P() { skip }
active [100000] proctype Q() { skip }
