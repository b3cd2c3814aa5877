/*
 * A transmitter that talks to a universal receiver.
 *
 * In AT&T's universal receiver protocol all initiative lies with the
 * transmitter: the receiver only reacts, in the same way whatever the
 * transmitter's style (characters, blocks, with or without retransmission), so
 * that any two can be connected. This is the style with blocks and error
 * control:
 *
 *   INIT, AINIT    the transmitter resets the receiver, which confirms
 *   DATA, SEQ n    the characters of a block (one here), and its trailer with
 *                  the block's number. If the trailer fits what came before,
 *                  the receiver delivers the block and answers ACK n, else REJ
 *                  with the number of the last good one
 *   ENQ, ECHO n    the transmitter asks where the receiver stands. Lines keep
 *                  the order, so all that was sent before the question and is
 *                  not covered by the answer has been lost, and is sent again
 *
 * Source: the public description in A. G. Fraser and W. T. Marshall, "Data
 * transport in a byte stream network", IEEE Journal on Selected Areas in
 * Communications 7(7), 1989. Sizes and simplifications are ours.
 *
 * Parameters:
 *   -D W=2         blocks on their way at most
 *   -D MOD=W+1     block numbers are counted modulo this
 *   -D LOSSES=1    how many messages each of the two lines may lose in all
 *   -D B=2         messages that fit between transmitter and receiver
 *
 * The transmitter's timer runs out only when everything has come to rest
 * (`timeout`). Since losses are limited, blocks arrive for ever.
 *
 * expect: safety holds
 * expect: progress holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults                      26,937     10,850
 *   -D W=1                         1,879        915
 *   -D LOSSES=2 -D B=4           116,885     38,573
 *   -D W=3 -D LOSSES=3 -D B=4    885,947    224,897
 */

#ifndef W
#define W 2
#endif
#ifndef MOD
#define MOD (W + 1)
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef B
#define B 2
#endif

#define ITEMS (MOD + 2)

mtype = { INIT, AINIT, DATA, SEQ, ACK, REJ, ENQ, ECHO };

chan line = [B] of { mtype, byte };
chan back = [W + 2] of { mtype, byte };

inline transmit(channel, kind, value)
{
	if
	:: channel!kind(value)
	:: losses > 0 -> losses--
	fi
}

inline block(i)
{
	transmit(line, DATA, (item + i) % ITEMS);
	transmit(line, SEQ, (number + i) % MOD)
}

/* Block n is the last good one: forget all up to it. */
inline confirmed(n)
{
	d_step {
		n = (n + MOD + 1 - number) % MOD;
		if
		:: n <= onway ->
		   number = (number + n) % MOD;
		   item = (item + n) % ITEMS;
		   onway = onway - n
		:: else
		fi;
		n = 0
	}
}

active proctype Transmitter()
{
	xs line;
	xr back;
	byte item;		/* contents of the oldest block not confirmed */
	byte number;		/* and its block number */
	byte onway;		/* how many blocks are not confirmed */
	byte n;
	byte losses = LOSSES;

	transmit(line, INIT, 0);
	do
	:: back?AINIT(_) -> break
	:: timeout -> transmit(line, INIT, 0)
	od;

	do
	:: onway < W ->
	   block(onway);
	   onway++
	:: back?ACK(n) ->
	   confirmed(n)
	:: back?REJ(n) ->
	   confirmed(n);
	   goto enquire
	:: onway == W ->
enquire:
	   transmit(line, ENQ, 0);
	   do
	   :: back?ACK(n) -> confirmed(n)
	   :: back?REJ(n) -> confirmed(n)
	   :: back?AINIT(_)
	   :: back?ECHO(n) -> confirmed(n); break
	   :: timeout -> transmit(line, ENQ, 0)
	   od;
	   if
	   :: onway > 0 ->
	      n = 0;
	      do
	      :: n < onway -> block(n); n++
	      :: else -> break
	      od;
	      n = 0;
	      goto enquire
	   :: else
	   fi
	od
}

active proctype Receiver()
{
	xr line;
	xs back;
	byte last = MOD - 1;	/* the last good block */
	byte got;		/* characters since the last trailer */
	byte wanted;		/* what the next good block must contain */
	byte item, n;
	byte losses = LOSSES;

	do
	:: line?INIT(_) ->
	   last = MOD - 1;
	   transmit(back, AINIT, 0)
	:: line?DATA(item) ->
	   got++
	:: line?SEQ(n) ->
	   if
	   :: got == 1 && n == (last + 1) % MOD ->
m:
	      assert(item == wanted);
	      d_step {
	         wanted = (wanted + 1) % ITEMS;
	         last = n; got = 0; item = 0; n = 0
	      };
	      transmit(back, ACK, last)
	   :: else ->
	      d_step { got = 0; item = 0; n = 0 };
	      transmit(back, REJ, last)
	   fi
	:: line?ENQ(_) ->
	   d_step { got = 0; item = 0 };
	   transmit(back, ECHO, last)
	od
}

ltl progress { []<> Receiver@m }
