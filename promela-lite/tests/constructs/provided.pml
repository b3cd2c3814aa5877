/* Every step of the process needs the condition. */
bool go;
active proctype P() provided (go || _pid == 0) { go = false; skip }
active proctype Q() { go = true }
