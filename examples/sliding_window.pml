/*
 * A sliding window protocol (go back N) over lines that lose frames.
 *
 * The sender may have up to W frames on their way that are not acknowledged.
 * Frames are numbered modulo W+1. The receiver accepts frames in order only; to
 * each frame, accepted or not, it answers with the number that it waits for,
 * which acknowledges all frames before. When the sender thinks that something
 * got lost, it starts again with the oldest frame that is not acknowledged. It
 * may think so at any time, so the model covers every setting of its timer.
 *
 * Source: the go-back-N scheme of link protocols such as HDLC (ISO 13239).
 *
 * Parameters:
 *   -D W=2        window size
 *   -D MOD=W+1    frame numbers are counted modulo this; with W or less the
 *                 protocol is wrong, and the assertion fails
 *   -D B=1        frames that fit on each line
 *
 * Items are numbered modulo 2*MOD+1, so that an item which the frame number
 * cannot tell from another one is still noticed when it is taken for that one.
 *
 * `progress` does not hold, fair or not: a line may lose everything.
 *
 * expect: safety holds
 * expect: progress violated
 * expect-weak: progress violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults     71,841     50,393
 *   -D B=2      420,819    273,464
 *   -D W=3      520,416    382,223
 */

#ifndef W
#define W 2
#endif
#ifndef MOD
#define MOD (W + 1)
#endif
#ifndef B
#define B 1
#endif

#define ITEMS (2 * MOD + 1)

chan frames = [B] of { byte, byte };	/* frame number, item */
chan acks   = [B] of { byte };		/* the frame number waited for */

active proctype Sender()
{
	xs frames;
	xr acks;
	byte first;		/* frame number of the oldest one on its way */
	byte item;		/* and its contents */
	byte onway;		/* how many are on their way */
	byte next;		/* how many of these were sent since the last restart */
	byte n;

	do
	:: next < onway || onway < W ->
	   if
	   :: frames!(first + next) % MOD, (item + next) % ITEMS
	   :: true			/* lost, maybe since the line is full */
	   fi;
	   d_step {
	      next++;
	      if
	      :: next > onway -> onway = next
	      :: else
	      fi
	   }
	:: next == onway && onway > 0 ->
	   next = 0
	:: acks?n ->
	   d_step {
	      n = (n + MOD - first) % MOD;	/* so many are acknowledged */
	      if
	      :: n <= onway ->
	         first = (first + n) % MOD;
	         item = (item + n) % ITEMS;
	         onway = onway - n;
	         next = (next > n -> next - n : 0)
	      :: else
	      fi;
	      n = 0
	   }
	od
}

active proctype Receiver()
{
	xr frames;
	xs acks;
	byte wanted;		/* frame number waited for */
	byte item;		/* item waited for */
	byte f, i;

	do
	:: frames?f, i ->
	   if
	   :: f == wanted ->
take:
	      assert(i == item);
	      d_step {
	         wanted = (wanted + 1) % MOD;
	         item = (item + 1) % ITEMS
	      }
	   :: else
	   fi;
	   d_step { f = 0; i = 0 };
	   if
	   :: acks!wanted
	   :: true			/* lost */
	   fi
	od
}

ltl progress { []<> Receiver@take }
