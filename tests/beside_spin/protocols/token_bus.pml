/* A token bus with bandwidth statistics. */
byte token; int used[3], passed;
active [3] proctype S() { byte n; do :: token == _pid -> n = 0; do :: n < 2 -> n++; used[_pid]++ :: break od; passed++; token = (token + 1) % 3 od }
