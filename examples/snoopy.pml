/*
 * Cache coherence on a snooping bus.
 *
 * Every processor has a cache, and all caches and the memory sit on one bus.
 * A cache holds its (only) line invalid, shared or modified. A read miss, or a
 * write to a line that is not held modified, becomes a transaction on the bus.
 * All other caches snoop on it: the one that holds the line modified hands it
 * back, and on a write all others invalidate theirs. Then the bus gives the
 * line to the cache that asked.
 *
 * Source: the invalidation protocols surveyed in J. Archibald and J.-L. Baer,
 * "Cache coherence protocols: evaluation using a multiprocessor simulation
 * model", ACM Transactions on Computer Systems 4(4), 1986. This is the one
 * with three states, write-back, and one transaction at a time.
 *
 * Parameters:
 *   -D N=2         processors
 *   -D VALUES=2    values that are written, one after the other
 *   -D WORK=1      local steps of a processor between two accesses
 *
 * The assertion says that a read returns what was written last, anywhere.
 *
 * `progress`, that the first processor gets answer after answer, needs more
 * than weak fairness: a cache may serve its own processor again and again and
 * never look at the bus.
 *
 * expect: safety holds
 * expect: progress violated
 * expect-weak: progress violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults        68,163      5,055
 *   -D VALUES=3    123,618      8,949
 *   -D VALUES=6    405,183     27,891
 *   -D VALUES=9    859,548     57,723
 */

#ifndef N
#define N 2
#endif
#ifndef VALUES
#define VALUES 2
#endif
#ifndef WORK
#define WORK 1
#endif

mtype = { read, write, done, invalid, shared, modified, grant, flush, clean };

byte latest;			/* what was written last, anywhere */

chan bus = [N] of { mtype, byte };	/* every cache may send, the bus receives */
chan to[N]   = [1] of { mtype, byte };	/* from the bus to each cache */
chan from[N] = [1] of { mtype, byte };	/* and its answers */

proctype Processor(chan access; chan reply)
{
	xs access;
	xr reply;
	byte work;

	do
	:: work < WORK ->
	   work++
	:: work == WORK ->
	   work = 0;
	   if
	   :: access!read
	   :: access!write
	   fi;
	   reply?done;
m:
	   skip
	od
}

/* Another cache wants the line; ours is at best `rest` from now on. */
inline snoop(rest)
{
	if
	:: state == modified ->
	   out!flush(value);
	   state = rest
	:: state == shared ->
	   out!clean(0);
	   state = rest
	:: state == invalid ->
	   out!clean(0)
	fi;
	if
	:: state == invalid -> value = 0
	:: else
	fi
}

proctype Cache(byte me; chan access; chan reply; chan in; chan out)
{
	xr access;
	xs reply;
	xr in;
	xs out;
	mtype state = invalid;
	mtype want;
	byte value;

	do
	:: access?want ->
	   if
	   :: state == modified || (state == shared && want == read)
	   :: else ->
	      bus!want(me);
	      do
	      :: in?grant(value) -> break
	      :: in?read(_) -> snoop(shared)
	      :: in?write(_) -> snoop(invalid)
	      od;
	      state = (want == read -> shared : modified)
	   fi;
	   if
	   :: want == read ->
	      assert(value == latest)
	   :: want == write ->
	      d_step {
	         latest = (latest + 1) % VALUES;
	         value = latest
	      }
	   fi;
	   want = 0;
	   reply!done
	:: in?read(_) -> snoop(shared)
	:: in?write(_) -> snoop(invalid)
	od
}

proctype Bus()
{
	xr bus;
	byte memory, who, other, value;
	mtype want, answer;

end:
	do
	:: bus?want(who) ->
	   other = 0;
	   do
	   :: other < N ->
	      if
	      :: other != who ->
	         to[other]!want(0);
	         from[other]?answer(value);
	         if
	         :: answer == flush -> memory = value
	         :: answer == clean
	         fi;
	         value = 0
	      :: else
	      fi;
	      other++
	   :: else -> break
	   od;
	   to[who]!grant(memory);
	   d_step { who = 0; other = 0; want = 0; answer = 0 }
	od
}

init
{
	chan access[N] = [1] of { mtype };
	chan reply[N]  = [1] of { mtype };
	byte i;

	atomic {
		i = 0;
		do
		:: i < N ->
		   run Processor(access[i], reply[i]);
		   i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < N ->
		   run Cache(i, access[i], reply[i], to[i], from[i]);
		   i++
		:: else -> break
		od;
		run Bus()
	}
}

ltl progress { []<> Processor[1]@m }
