/*
 * A data transfer protocol with connections.
 *
 * A caller asks for a connection, which the called user may refuse; over it the
 * caller sends up to K items and then disconnects. Beneath the two users two
 * protocol entities exchange numbered units over lines that lose some of them:
 * one unit at a time is on its way, repeated until it is answered. An answer
 * carries the number of the unit and what the called user said to it. The
 * called side remembers its last answer, and gives it again when the unit comes
 * again, without bothering its user.
 *
 * Source: our own design, on the pattern of the connection-oriented transport
 * service of ISO 8072 (connect, data, disconnect; request, indication,
 * response, confirmation).
 *
 * Parameters:
 *   -D K=2     items in a connection
 *   -D B=1     units that fit on each line
 *
 * The assertions say that items arrive within a connection, complete and in
 * order, and that both users agree on whether there is a connection. `progress`
 * (a connection is accepted again and again) does not hold: lines may lose
 * everything, and the called user may always refuse.
 *
 * expect: safety holds
 * expect: progress violated
 * expect-weak: progress violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults             2,944        777
 *   -D K=8 -D B=6      134,687     34,970
 *   -D K=10 -D B=10    473,779    106,579
 *   -D K=12 -D B=12    830,341    159,196
 */

#ifndef K
#define K 2
#endif
#ifndef B
#define B 1
#endif

mtype = { connect, item, disconnect, yes, no };

chan request    = [1] of { mtype, byte };	/* caller to its entity */
chan confirm    = [1] of { mtype };
chan units      = [B] of { mtype, byte, bit };	/* between the entities */
chan answers    = [B] of { mtype, bit };
chan indication = [1] of { mtype, byte };	/* entity to the called user */
chan response   = [1] of { mtype };

active proctype Caller()
{
	xs request;
	xr confirm;
	byte n;
	mtype answer;

	do
	:: request!connect(0);
	   confirm?answer;
	   if
	   :: answer == no
	   :: answer == yes ->
m:
	      n = 0;
	      do
	      :: n < K ->
	         request!item(n);
	         confirm?answer;
	         assert(answer == yes);
	         n++
	      :: break
	      od;
	      n = 0;
	      request!disconnect(0);
	      confirm?answer;
	      assert(answer == yes)
	   fi;
	   answer = 0
	od
}

active proctype Near()
{
	xr request;
	xs confirm;
	xs units;
	xr answers;
	mtype kind, answer;
	byte data;
	bit number;

	do
	:: request?kind(data);
	   do
	   :: units!kind(data, number)
	   :: answers?answer(eval(number)) -> break
	   :: answers?_(_)		/* an old one, or lost */
	   od;
	   confirm!answer;
	   d_step { number = 1 - number; kind = 0; data = 0; answer = 0 }
	od
}

active proctype Far()
{
	xr units;
	xs answers;
	xs indication;
	xr response;
	mtype kind, answer;
	byte data;
	bit number;
	bit last = 1;

	do
	:: units?kind(data, number) ->
	   if
	   :: number != last ->
	      indication!kind(data);
	      response?answer;
	      last = number
	   :: else
	   fi;
	   d_step { kind = 0; data = 0; number = 0 };
	   answers!answer(last)
	:: units?_(_, _)		/* lost */
	od
}

active proctype Called()
{
	xr indication;
	xs response;
	bool connected;
	byte n, wanted;

	do
	:: indication?connect(n) ->
	   assert(!connected);
	   if
	   :: connected = true;
	      response!yes
	   :: response!no
	   fi
	:: indication?item(n) ->
	   assert(connected && n == wanted);
	   wanted++;
	   n = 0;
	   response!yes
	:: indication?disconnect(n) ->
	   assert(connected);
	   connected = false;
	   wanted = 0;
	   response!yes
	od
}

ltl progress { []<> Caller@m }
