/*
 * Nothing to reduce: every process sends to and receives from one common
 * channel, and its next step always depends on what the others do there.
 *
 * Made to measure what looking for ample sets in vain costs, where that has to
 * be found out anew in every state: whether two operations on a channel depend
 * on each other is a matter of how full it is.
 *
 * Parameters:
 *   -D N=4       processes
 *   -D B=4       messages that fit into the mailbox
 *   -D KINDS=3   different messages
 *
 * expect: safety holds
 * expect: progress violated
 */

#ifndef N
#define N 4
#endif
#ifndef B
#define B 4
#endif
#ifndef KINDS
#define KINDS 3
#endif

chan mailbox = [B] of { byte };

active [N] proctype Process()
{
	byte kind;

	do
	:: mailbox!kind
	:: mailbox?kind
	:: atomic { nempty(mailbox) -> mailbox?kind; kind = (kind + 1) % KINDS }
m:	   if
	   :: mailbox?kind
	   :: mailbox!kind
	   fi
	od
}

ltl progress { []<> Process[0]@m }
