/* Mailboxes with letters whose text nobody reads. */
typedef Letter { byte to; int text }
chan post = [2] of { Letter }; chan box[2] = [1] of { Letter }; int n;
active proctype Writer() { Letter l; byte b; do :: select (b : 0 .. 1); l.to = b; n++; l.text = n; post!l od }
active proctype Office() { Letter l; do :: post?l -> box[l.to]!l od }
active [2] proctype Reader() { Letter l; do :: box[_pid - 2]?l -> assert(l.to == _pid - 2) od }
