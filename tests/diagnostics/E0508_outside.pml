byte x = _pid;
proctype P() { skip }
init { run P(); x = 1 }
never { do :: run P() :: _pid == 0 od }
