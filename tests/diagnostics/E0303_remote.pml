active proctype P() { Critical: skip }
init { P@Critcal }
