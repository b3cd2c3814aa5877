proctype P() { }
init { if fi; do :: od; run P() }
