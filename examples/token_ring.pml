/*
 * A token ring network.
 *
 * Stations sit on a ring. One free token goes round; whoever holds it may put
 * one frame on the ring instead. The frame passes every station; the one it is
 * addressed to copies it and marks it as copied. When the frame is back at its
 * sender, that one takes it off the ring, looks at the mark, and lets the free
 * token go. Each station serves a host, which computes for a while and then
 * has a frame for the station half way round the ring.
 *
 * Source: the principle of the IEEE 802.5 medium access protocol (no
 * priorities, no monitor station, no losses).
 *
 * Parameters:
 *   -D N=3       stations
 *   -D WORK=1    steps of local work before a host has a frame
 *
 * That every station gets the ring again and again holds under weak fairness
 * only: without it a host may be slow for ever while the token goes round, or
 * the others may never let go of the processor.
 *
 * expect: safety holds
 * expect: onetoken holds
 * expect: sends violated
 * expect-weak: sends holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults     153,001      2,021
 *   -D N=2         4,501        346
 *   -D WORK=2    419,833      3,091
 *   -D WORK=3    892,297      4,298
 */

#ifndef N
#define N 3
#endif
#ifndef WORK
#define WORK 1
#endif

mtype = { token, frame };

byte owners;		/* stations that hold the token now */

proctype Host(chan request)
{
	byte done;

	do
	:: done < WORK ->
	   done++
	:: done == WORK ->
	   done = 0;
	   request!true
	od
}

/* `request` is polled, so it cannot be declared exclusive; the links are. */
proctype Station(byte me; chan in; chan out; chan request)
{
	xr in;
	xs out;
	byte from;
	bool copied;

	if
	:: me == 0 -> out!token(0, false)
	:: else
	fi;

	do
	:: in?token(_, _) ->
	   owners++;
	   if
	   :: request?_ ->
sending:
	      out!frame(me, false);
	      in?frame(from, copied);
	      assert(from == me && copied);
	      d_step { from = 0; copied = false }
	   :: empty(request)
	   fi;
	   owners--;
	   out!token(0, false)
	:: in?frame(from, copied) ->
	   if
	   :: (from + N / 2) % N == me ->
	      assert(!copied);
	      copied = true
	   :: else
	   fi;
	   out!frame(from, copied);
	   d_step { from = 0; copied = false }
	od
}

init
{
	chan link[N] = [1] of { mtype, byte, bool };
	chan request[N] = [1] of { bool };
	byte i;

	atomic {
		i = 0;
		do
		:: i < N ->
		   run Station(i, link[i], link[(i + 1) % N], request[i]);
		   i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < N ->
		   run Host(request[i]);
		   i++
		:: else -> break
		od
	}
}

ltl onetoken { [] (owners <= 1) }
ltl sends    { []<> Station[1]@sending }
