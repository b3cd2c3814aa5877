/*
 * Distributed accounting: auditing a bank that does not close for it.
 *
 * The branches of a bank form a ring; each one sends money to the next. At any
 * time some of the money is in the branches and some on its way. The head
 * office, itself a branch, wants to know that none has been lost, without
 * stopping business. It writes down its balance and sends an audit slip round.
 * Each branch adds its balance to the slip and passes it on, behind the money
 * it sent before. What arrives at the head office before the slip does, was on
 * its way when the audit began, and is added too.
 *
 * A branch books each item that arrives, in a few steps of its own, before it
 * turns to the next.
 *
 * Source: the algorithm for consistent snapshots of K. M. Chandy and L. Lamport,
 * "Distributed snapshots", ACM Transactions on Computer Systems 3(1), 1985, in
 * the simple form it takes in a ring.
 *
 * Parameters:
 *   -D N=3        branches, the head office included
 *   -D MONEY=1    what each one owns at the start
 *   -D B=2        items that fit on the way between two branches
 *
 * The assertion says that every audit finds the whole sum. That audits are
 * completed again and again (`progress`) does not hold: branches may go on
 * doing other business.
 *
 * expect: safety holds
 * expect: progress violated
 * expect-weak: progress violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults                     24,160      1,799
 *   -D N=2 -D MONEY=5 -D B=3     66,243      6,815
 *   -D MONEY=2                  458,858     18,964
 *   -D N=4                      694,726     16,750
 */

#ifndef N
#define N 3
#endif
#ifndef MONEY
#define MONEY 1
#endif
#ifndef B
#define B 2
#endif

mtype = { money, slip };

inline book(what)
{
	journal = journal + what;
	balance = balance + journal;
	journal = 0
}

proctype Head(chan in; chan out)
{
	xr in;
	xs out;
	byte balance = MONEY;
	byte journal, sum, amount;
	bool audit;

	do
	:: balance > 0 && nfull(out) ->
	   balance--;
	   out!money(1)
	:: !audit && nfull(out) ->
	   audit = true;
	   sum = balance;
	   out!slip(0)
	:: in?money(amount) ->
	   if
	   :: audit -> sum = sum + amount
	   :: else
	   fi;
	   book(amount);
	   amount = 0
	:: in?slip(amount) ->
	   sum = sum + amount;
m:
	   assert(sum == N * MONEY);
	   d_step { audit = false; sum = 0; amount = 0 }
	od
}

proctype Branch(chan in; chan out)
{
	xr in;
	xs out;
	byte balance = MONEY;
	byte journal, amount;

	do
	:: balance > 0 && nfull(out) ->
	   balance--;
	   out!money(1)
	:: in?money(amount) ->
	   book(amount);
	   amount = 0
	:: in?slip(amount) ->
	   out!slip(amount + balance);
	   amount = 0
	od
}

init
{
	chan way[N] = [B] of { mtype, byte };
	byte i;

	atomic {
		run Head(way[0], way[1]);
		i = 1;
		do
		:: i < N ->
		   run Branch(way[i], way[(i + 1) % N]);
		   i++
		:: else -> break
		od
	}
}

ltl progress { []<> Head@m }
