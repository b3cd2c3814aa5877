/*
 * Messages of which nothing is read still take room.
 *
 * expect: safety violated, end
 */
chan c = [2] of { byte }; byte n;
active proctype P() { do :: c!n; n++ od }
