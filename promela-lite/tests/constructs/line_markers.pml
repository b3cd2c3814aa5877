# 40 "original.pml"
/* Markers of a preprocessor that ran before. */
active proctype P() { skip }
# 7 "other.pml"
init { skip }
