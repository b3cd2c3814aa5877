/*
 * A variable that only the property reads differs with a dead one after the first round of a cycle.
 *
 * expect: safety holds
 * expect: settles violated
 */
bit x;
active proctype p() {
	byte i = 7;
	do
	:: i = 5; x = i; x = 0
	od
}
ltl settles { <> [] (x == 0) }
