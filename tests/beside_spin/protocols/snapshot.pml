/* Two banks send money and record it; the records are for the auditor only. */
byte m[2] = 2; chan c[2] = [2] of { byte }; int sum0, sum1; byte sends;
active [2] proctype Bank() { byte v; do :: atomic { m[_pid] > 0 && nfull(c[1 - _pid]) -> m[_pid]--; c[1 - _pid]!1 }; sends++ :: c[_pid]?v -> m[_pid] = m[_pid] + v; if :: _pid == 0 -> sum0 = sum0 + v :: else -> sum1 = sum1 + v fi od }
ltl bounded { [] (m[0] + m[1] <= 4) }
