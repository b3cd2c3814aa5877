/*
 * The alternating bit protocol over lines that lose messages.
 *
 * The sender marks each item with one bit and sends it again and again, until
 * an acknowledgement with that bit comes back; then it flips the bit and goes
 * on to the next item. The receiver accepts an item when its bit is the one it
 * waits for, and acknowledges everything it gets. The two lines, one for items
 * and one for acknowledgements, may drop what they carry, but keep the order.
 *
 * Source: K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, "A note on
 * reliable full-duplex transmission over half-duplex links", Communications of
 * the ACM 12(5), 1969.
 *
 * Parameters:
 *   -D ITEMS=3    items are numbered modulo this; at least 3 to notice that
 *                 one was lost or doubled
 *   -D B=0        messages that fit into each channel; 0: rendezvous
 *   -D THIEF      the lines deliver all they get; what is lost is taken from
 *                 the channels before them by another process
 *
 * The assertion says that items arrive complete and in order. `progress` does
 * not hold, fair or not: a line may lose everything. It does hold as long as
 * each line delivers again and again: that is `reliable`. With a thief strong
 * fairness is enough (and weak is not): a line that could get something again
 * and again does.
 *
 * Nearly every step is a communication, and no channel is declared exclusive:
 * SPIN's reduction finds nothing to leave out.
 *
 * expect: safety holds
 * expect: progress violated
 * expect-weak: progress violated
 * expect: reliable holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults                 555        555
 *   -D B=2               100,635    100,635
 *   -D B=3               400,992    400,992
 *   -D B=4 -D ITEMS=4    787,693    787,693
 */

#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef B
#define B 0
#endif

chan put  = [B] of { byte, bit };	/* sender to item line */
chan get  = [B] of { byte, bit };	/* item line to receiver */
chan aput = [B] of { bit };		/* receiver to acknowledgement line */
chan aget = [B] of { bit };		/* acknowledgement line to sender */

active proctype Sender()
{
	byte item;
	bit mark;

	do
	:: put!item(mark)
	:: atomic { aget?eval(mark) -> mark = 1 - mark; item = (item + 1) % ITEMS }
	:: aget?eval(1 - mark)
	od
}

active proctype Items()
{
	byte item;
	bit mark;

	do
	:: put?item(mark);
	   if
	   :: true;
delivers:
	      get!item(mark)
#ifndef THIEF
	   :: true			/* lost */
#endif
	   fi
	od
}

active proctype Receiver()
{
	byte item, wanted;
	bit mark, last = 1;

	do
	:: get?item(mark);
	   if
	   :: atomic {
	         mark != last -> assert(item == wanted);
	         wanted = (wanted + 1) % ITEMS;
	         last = mark
	      };
m:
	      aput!mark
#ifdef THIEF
	   :: mark == last -> aput!mark	/* a state: the line could get it */
#else
	   :: atomic { mark == last -> aput!mark }
#endif
	   fi
	od
}

active proctype Acknowledgements()
{
	bit mark;

	do
	:: aput?mark;
	   if
	   :: true;
delivers:
	      aget!mark
#ifndef THIEF
	   :: true			/* lost */
#endif
	   fi
	od
}

#ifdef THIEF
active proctype Thief()
{
	do
	:: put?_,_
	:: aput?_
	od
}
#endif

ltl progress { []<> Receiver@m }
ltl reliable { ([]<> Items@delivers && []<> Acknowledgements@delivers) -> []<> Receiver@m }
