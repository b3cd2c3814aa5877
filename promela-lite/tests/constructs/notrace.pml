/* Sends and receives that must not follow each other. */
mtype = { m };
chan a = [2] of { mtype };
active proctype P() { a!m; a!m }
notrace { a!m; a!m }
