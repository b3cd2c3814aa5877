/* Numbered packets over a channel that may lose; per-packet retry counts. */
chan net = [1] of { byte, byte }; chan back = [1] of { byte }; byte retries[4]; int dropped;
active proctype S() { byte n; do :: net!n,retries[n]; if :: back?eval(n) -> n = (n + 1) % 4 :: timeout -> retries[n]++ fi od }
active proctype R() { byte n, t; do :: net?n,t -> if :: back!n :: dropped++ fi od }
