/* One round of voting by acceptors; ballots are also recorded for nobody. */
byte highest[3]; byte votes[2]; byte record[3]; int rounds;
proctype Proposer(byte b) { byte i, n; do :: i < 3 -> atomic { if :: highest[i] < b -> highest[i] = b; n++; record[i] = b :: else fi }; i++ :: else -> break od; rounds++; if :: n >= 2 -> votes[b - 1]++ :: else fi }
init { atomic { run Proposer(1); run Proposer(2) } }
