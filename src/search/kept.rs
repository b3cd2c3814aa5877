//! What searches have in checkpoints: the forms of states' numbers, moves, findings and figures. See [`crate::checkpoint`].

use super::expand::Decision;
use super::{Event, Found};
use crate::checkpoint::{In, Out, Persist, persist};
use crate::machine::{Fault, FaultKind, Move, Pid};
use crate::stats::Stats;
use crate::store::StateId;
use promela_lite::program::EdgeId;
use promela_lite::source::{ExpnId, Span};
use std::io;

persist!(struct Pid { 0 });
persist!(struct EdgeId { 0 });
persist!(struct Move { pid, edge, partner });
persist!(struct Span { lo, hi, expn });
persist!(struct Fault { kind, span });
persist!(
    enum FaultKind {
        Assertion {},
        IndexOutOfRange { index: index, len: len },
        DivisionByZero {},
        ShiftOutOfRange { distance: distance },
        UninitialisedChannel {},
        BadChannel { id: id },
        MessageShape { expected: expected, found: found },
        PolledRendezvous {},
        RendezvousInDStep {},
        TooManyProcesses {},
        TooManyChannels {},
        VectorTooLarge {},
        BlockedInDStep {},
        BadPid { pid: pid },
        BadPriority { priority: priority },
        Nondeterminism {},
        Trace {},
        NotExclusive { recv: recv },
        EndlessDStep { violated: violated },
    }
);
persist!(enum Event { Fault { 0: fault }, InvalidEnd {}, Cycle { start: start } });
persist!(enum Decision { All {}, Ample { 0: index } });
persist!(struct Stats {
    stored, matched, atomic_steps, atomic_repeats, early, reduced, depth, vector_bytes, errors, store_bytes, stack_bytes, workers
});

impl Persist for ExpnId {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        self.raw().save(out)
    }

    fn load(input: &mut In) -> io::Result<ExpnId> {
        u32::load(input).map(ExpnId::from_raw)
    }
}

impl Persist for StateId {
    #[inline]
    fn save(&self, out: &mut Out) -> io::Result<()> {
        self.raw().save(out)
    }

    #[inline]
    fn load(input: &mut In) -> io::Result<StateId> {
        let raw = u64::load(input)?;
        let id = StateId::from_raw(raw & ((1 << StateId::BITS) - 1));
        id.filter(|id| id.raw() == raw)
            .ok_or_else(crate::checkpoint::misfit)
    }
}

impl<M: Persist> Persist for Found<M> {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        self.event.save(out)?;
        self.path.save(out)
    }

    fn load(input: &mut In) -> io::Result<Found<M>> {
        Ok(Found {
            event: Event::load(input)?,
            path: Vec::load(input)?,
        })
    }
}
