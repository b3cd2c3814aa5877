/*
 * A file transfer protocol in layers.
 *
 * From top to bottom: a user who wants a file stored and may change his mind,
 * and a file server that may have no room; a session layer that opens, carries
 * out, cancels and closes a transfer; a flow control layer that numbers
 * messages with one bit, has one on its way in each direction, and repeats it
 * until it is acknowledged; a data link layer that carries frames and discards
 * the damaged ones. The two ends look like this:
 *
 *      User                          FileServer
 *       |                                |
 *   LocalSession                   RemoteSession
 *       |                                |
 *     Flow  ------ Link, Link ------   Flow
 *
 * Source: our own design, with the layers that G. J. Holzmann, "Design and
 * Validation of Computer Protocols" (Prentice Hall, 1991) takes as its example
 * of a protocol design.
 *
 * Parameters:
 *   -D PARTS=2    parts of a file
 *   -D B=1        messages that fit between two layers
 *
 * The assertions say that a file is stored exactly when all its parts came, in
 * order. A timer runs out only when everything has come to rest (`timeout`).
 * `progress` (files are stored again and again) does not hold: the links may
 * lose everything, the server may refuse, and the user may cancel.
 *
 * expect: safety holds
 * expect: progress violated
 * expect-weak: progress violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults      607,354     16,213
 *   -D PARTS=1    333,702     12,582
 *   -D PARTS=3  1,013,278     19,444
 */

#ifndef PARTS
#define PARTS 2
#endif
#ifndef B
#define B 1
#endif

mtype = { store, cancel, stored, failed,		/* user and session */
          connect, accept, reject, part, abort, close, closed,	/* sessions */
          data, ack,					/* flow control */
          create, write, discard, commit, okay, full_up };	/* file server */

chan user_down   = [1] of { mtype };
chan user_up     = [1] of { mtype };
chan local_down  = [B] of { mtype, byte };
chan local_up    = [B] of { mtype, byte };
chan remote_down = [B] of { mtype, byte };
chan remote_up   = [B] of { mtype, byte };
chan server_do   = [1] of { mtype, byte };
chan server_says = [1] of { mtype };

active proctype User()
{
	xs user_down;
	xr user_up;
	mtype result;

	do
	:: user_down!store;
	   if
	   :: user_down!cancel;
	      user_up?result
	   :: user_up?result;
	      user_down!cancel		/* too late: marks the end of the request */
	   fi;
	   result = 0
	od
}

active proctype LocalSession()
{
	xr user_down;
	xs user_up;
	xs local_down;
	xr local_up;
	byte n;

	do
	:: user_down?store ->
	   local_down!connect(0);
	   if
	   :: local_up?reject(_) ->
	      user_up!failed;
	      user_down?cancel
	   :: local_up?accept(_) ->
	      do
	      :: n < PARTS ->
	         local_down!part(n);
	         n++
	      :: n == PARTS ->
	         local_down!close(0);
	         local_up?closed(_);
	         user_up!stored;
	         user_down?cancel;
	         break
	      :: user_down?cancel ->
	         local_down!abort(0);
	         local_up?closed(_);
	         user_up!failed;
	         break
	      od;
	      n = 0
	   fi
	od
}

/* One end of flow control; both ends are alike. */
proctype Flow(chan down; chan up; chan out; chan in)
{
	xr down;
	xs up;
	xs out;
	xr in;
	mtype kind, k;		/* the message on its way, and one that came in */
	byte n, i;
	bit mark, m, last = 1;
	bool busy;

	do
	:: !busy && nempty(down) ->
	   down?kind(n);
	   busy = true;
	   out!data(kind, n, mark)
	:: busy && timeout ->
	   out!data(kind, n, mark)
	:: in?ack(_, _, m) ->
	   if
	   :: busy && m == mark ->
	      d_step { busy = false; mark = 1 - mark; kind = 0; n = 0 }
	   :: else
	   fi;
	   m = 0
	:: in?data(k, i, m) ->
	   if
	   :: m != last ->
	      up!k(i);
	      last = m
	   :: else
	   fi;
	   d_step { k = 0; i = 0; m = 0 };
	   out!ack(0, 0, last)
	od
}

/* A line and its error detection: a damaged frame is dropped. */
proctype Link(chan in; chan out)
{
	xr in;
	xs out;
	mtype frame, kind;
	byte n;
	bit mark;

	do
	:: in?frame(kind, n, mark) ->
	   if
	   :: out!frame(kind, n, mark)
	   :: true
	   fi;
	   d_step { frame = 0; kind = 0; n = 0; mark = 0 }
	od
}

active proctype RemoteSession()
{
	xs remote_down;
	xr remote_up;
	xs server_do;
	xr server_says;
	byte n;

	do
	:: remote_up?connect(_) ->
	   server_do!create(0);
	   if
	   :: server_says?okay -> remote_down!accept(0)
	   :: server_says?full_up -> remote_down!reject(0)
	   fi
	:: remote_up?part(n) ->
	   server_do!write(n);
	   n = 0
	:: remote_up?abort(_) ->
	   server_do!discard(0);
	   remote_down!closed(0)
	:: remote_up?close(_) ->
	   server_do!commit(0);
	   remote_down!closed(0)
	od
}

active proctype FileServer()
{
	xr server_do;
	xs server_says;
	bool open;
	byte parts, n;

	do
	:: server_do?create(_) ->
	   assert(!open);
	   if
	   :: open = true;
	      server_says!okay
	   :: server_says!full_up
	   fi
	:: server_do?write(n) ->
	   assert(open && n == parts);
	   n = 0;
	   parts++
	:: server_do?discard(_) ->
	   assert(open);
	   open = false;
	   parts = 0
	:: server_do?commit(_) ->
	   assert(open && parts == PARTS);
m:
	   open = false;
	   parts = 0
	od
}

init
{
	chan wire[4] = [1] of { mtype, mtype, byte, bit };

	atomic {
		run Flow(local_down, local_up, wire[0], wire[1]);
		run Link(wire[0], wire[2]);
		run Flow(remote_down, remote_up, wire[3], wire[2]);
		run Link(wire[3], wire[1])
	}
}

ltl progress { []<> FileServer@m }
