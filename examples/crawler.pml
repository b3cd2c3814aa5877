/*
 * A crawler that counts the files of a tree of folders.
 *
 * Every crawler takes a folder from a queue and goes through it recursively. Of
 * the folders inside it, it goes through some itself and leaves others to the
 * queue, as there is room. A count of the folders that still have to be done says
 * when all are. With `-D EARLY` a crawler says that it is done with a folder
 * before it has left others to the queue, and the rest may be forgotten.
 *
 * Parameters:
 *   -D CRAWLERS=2
 *   -D EARLY         done is said too early
 *
 * expect: safety holds
 */

#ifndef CRAWLERS
#define CRAWLERS 2
#endif

#define FOLDERS 5
#define FILES 9

/* Folders 1 and 2 lie in 0, folders 3 and 4 in 2. */
byte files[FOLDERS] = { 2, 1, 3, 1, 2 };
byte parent[FOLDERS] = { 255, 0, 0, 2, 2 };

chan queue = [2] of { byte };
byte counted;
byte open = 1;

procedure leave_or_visit(byte folder) {
	if
	:: atomic { nfull(queue) -> open++; queue!folder }
	:: visit(folder)
	fi
}

procedure visit(byte folder) {
	byte inside;

	atomic { counted = counted + files[folder] };
	inside = folder + 1;
	do
	:: inside < FOLDERS && parent[inside] == folder ->
		leave_or_visit(inside);
		inside++
	:: inside < FOLDERS && parent[inside] != folder ->
		inside++
	:: inside >= FOLDERS -> break
	od
}

active [CRAWLERS] proctype Crawler() {
	byte folder;

	do
	:: queue?folder ->
#ifdef EARLY
		open--;
		visit(folder)
#else
		visit(folder);
		open--
#endif
	:: open == 0 && empty(queue) -> break
	od
}

init {
	queue!0;
	open == 0;
	assert(counted == FILES)
}
