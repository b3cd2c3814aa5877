/* Reading and setting priorities. */
byte n;
active proctype P() { _priority = 3; n = _priority; set_priority(_pid, 5); n = get_priority(_pid) }
active proctype Q() { n = 1 }
