/* Trucks carry parcels between towns; fuel and distance are counted. */
byte truck[2]; byte parcel[3]; int fuel[2]; short distance;
active proctype T0() { byte p; do :: truck[0] = (truck[0] + 1) % 3; fuel[0]++; distance++ :: select (p : 0 .. 2); if :: atomic { parcel[p] == truck[0] -> parcel[p] = 3 } :: atomic { parcel[p] == 3 -> parcel[p] = truck[0] } :: else fi od }
active proctype T1() { byte p; do :: truck[1] = (truck[1] + 2) % 3; fuel[1]++; distance++ :: select (p : 0 .. 2); if :: atomic { parcel[p] == truck[1] -> parcel[p] = 4 } :: atomic { parcel[p] == 4 -> parcel[p] = truck[1] } :: else fi od }
