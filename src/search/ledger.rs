//! The ledger: the violations, statistics and limits that every search keeps.

use super::{End, Event, Exhaustive, Found, Outcome, Settings};
use crate::checkpoint::{Checkpoints, In, Out, Persist, save_list, why_not};
use crate::limits::{Monitor, Progress, Stop, unhurried};
use crate::machine::{Fault, FaultKind};
use crate::space::Transition;
use crate::stats::Stats;
use crate::store::{ExactStore, Insert, Shortage, StateId};
use promela_lite::source::Span;
use std::collections::HashSet;
use std::io;
use std::mem::{Discriminant, discriminant};

/// Units of work between two looks at limits that need a sum or a clock.
const TICK: u32 = 1024;

/// A state counts for one unit, and one more for every so many bytes.
const HEAVY: u32 = 1024;

/// So many of the workers of a search look that rarely; the more there are, the more often each looks, since many of them
/// may have to share a processor.
const FEW_WORKERS: usize = 4;

/// Two violations with the same signature are the same violation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Signature {
    Fault(Discriminant<FaultKind>, Span),
    InvalidEnd(Vec<u32>),
    Cycle,
}

impl Signature {
    /// That of a move that failed.
    pub(crate) fn of(fault: &Fault) -> Signature {
        Signature::Fault(discriminant(&fault.kind), fault.span)
    }
}

/// The part of the ledger that a worker hands to the first worker, which leads the search.
pub(super) struct Tally<M> {
    stats: Stats,
    found: Vec<(Signature, Found<M>)>,
    stop: Option<Stop>,
    cut: Option<Stop>,
}

/// The violations, statistics and limits of one search.
pub(super) struct Ledger<'a, M> {
    pub(super) settings: Settings,
    pub(super) stats: Stats,
    monitor: &'a mut dyn Monitor,
    /// Violations, each once.
    found: Vec<(Signature, Found<M>)>,
    known: HashSet<Signature>,
    stop: Option<Stop>,
    /// Something was left out, though the search goes on.
    cut: Option<Stop>,
    until_tick: u32,
    tick: u32,
    /// How many units a state counts for.
    weight: u32,
    /// The bytes besides the store, and the depth, when the limits were looked at last between two steps.
    last: (u64, u64),
    /// Whether a checkpoint is due.
    pausing: bool,
}

impl<'a, M> Ledger<'a, M> {
    pub(super) fn new(settings: &Settings, monitor: &'a mut dyn Monitor) -> Ledger<'a, M> {
        let share = TICK as usize * FEW_WORKERS / settings.workers.max(FEW_WORKERS);
        let checkpoints = settings.checkpoints.as_deref();
        let tick = match checkpoints.is_some_and(Checkpoints::are_dense) {
            true => 1,
            false => share.max(TICK as usize / 32) as u32,
        };
        Ledger {
            settings: settings.clone(),
            stats: Stats {
                workers: 1,
                ..Stats::default()
            },
            monitor,
            found: Vec::new(),
            known: HashSet::new(),
            stop: None,
            cut: None,
            until_tick: tick,
            tick,
            weight: 1,
            last: (0, 0),
            pausing: false,
        }
    }

    /// Whether the search is to end now.
    pub(super) fn stopped(&self) -> bool {
        self.stop.is_some() || self.at_violation()
    }

    fn at_violation(&self) -> bool {
        !self.settings.all_errors && !self.found.is_empty()
    }

    /// Something was left out because paths are limited to a depth.
    pub(super) fn cut(&mut self) {
        let depth = Stop::Depth(self.settings.limits.depth);
        self.cut.get_or_insert(depth);
    }

    /// The memory allowed is used up.
    pub(super) fn full(&mut self) {
        self.stop = Some(Stop::Memory(self.settings.limits.memory));
    }

    /// Accounts for an arrival at a state of that many bytes; gives the state if it is new.
    #[inline]
    pub(super) fn arrival(&mut self, answer: Insert, bytes: usize) -> Option<StateId> {
        match answer {
            Insert::New(id) => {
                self.stored(bytes);
                Some(id)
            }
            Insert::Seen(_) => {
                self.stats.matched += 1;
                None
            }
            Insert::Full => {
                self.full();
                None
            }
        }
    }

    /// Accounts for an arrival that another worker accounts for too, when it comes there: it will take a state that is new
    /// here for a known one.
    pub(super) fn early_arrival(&mut self, answer: Insert, bytes: usize) {
        match answer {
            Insert::New(_) => {
                self.stored(bytes);
                self.stats.early += 1;
            }
            Insert::Seen(_) => {}
            Insert::Full => self.full(),
        }
    }

    /// Accounts for a new state of that many bytes.
    #[inline]
    pub(super) fn stored(&mut self, bytes: usize) {
        self.stats.stored += 1;
        if bytes as u64 > self.stats.vector_bytes {
            self.stats.vector_bytes = bytes as u64;
            self.weight = 1 + bytes as u32 / HEAVY;
        }
        if self.stats.stored >= self.settings.limits.states {
            self.stop = Some(Stop::States(self.settings.limits.states));
        }
    }

    /// A move failed, or was given up for the sake of a limit. A call that was not expanded leaves something out.
    pub(super) fn fault(&mut self, fault: Fault, path: impl FnOnce() -> Vec<M>) {
        if let FaultKind::Stopped(stop) = fault.kind {
            self.stop.get_or_insert(stop);
            return;
        }
        if let FaultKind::CallTooDeep { depth } = fault.kind {
            let at = fault.span;
            self.cut.get_or_insert(Stop::Calls { depth, at });
            return;
        }
        let signature = Signature::of(&fault);
        self.violation(signature, || (Event::Fault(fault), path()));
    }

    /// An invalid end state was reached.
    pub(super) fn invalid_end(&mut self, stuck: Vec<u32>, path: impl FnOnce() -> Vec<M>) {
        self.violation(Signature::InvalidEnd(stuck), || (Event::InvalidEnd, path()));
    }

    /// A cycle through an accepting state was found. One is enough: `tell` says where it starts and how it goes, which
    /// is a lot of work on a long path.
    pub(super) fn cycle(&mut self, tell: impl FnOnce() -> (usize, Vec<M>)) {
        self.violation(Signature::Cycle, || {
            let (start, path) = tell();
            (Event::Cycle { start }, path)
        });
    }

    fn violation(&mut self, signature: Signature, tell: impl FnOnce() -> (Event, Vec<M>)) {
        self.stats.errors += 1;
        if self.known.insert(signature.clone()) {
            // No limit takes back what has been found: its run is worked out to the end.
            let (event, path) = unhurried(tell);
            self.found.push((signature, Found { event, path }));
        }
    }

    /// To be called once per unit of work; says when it is time for [`Ledger::tick`].
    #[inline]
    pub(super) fn due(&mut self) -> bool {
        self.until_tick = self.until_tick.saturating_sub(self.weight);
        self.until_tick == 0
    }

    /// Looks at the limits. `stack` is the number of bytes held besides the store.
    pub(super) fn tick(&mut self, store: &mut ExactStore, stack: u64, depth: u64) {
        let limit = self.settings.limits.memory;
        store.set_limit(limit.saturating_sub(self.monitor.held(stack)));
        self.look(store.bytes(), stack, depth);
    }

    /// The same for a store that does not know its limit.
    pub(super) fn look(&mut self, store: u64, stack: u64, depth: u64) {
        self.last = (stack, depth);
        self.look_at(store, stack, depth);
    }

    /// The same in the middle of a step, for which so many bytes are held.
    pub(super) fn look_within(&mut self, store: u64, held: u64) {
        let (stack, depth) = self.last;
        self.look_at(store, stack + held, depth);
    }

    fn look_at(&mut self, store: u64, stack: u64, depth: u64) {
        self.until_tick = self.tick;
        self.stats.stack_bytes = self.stats.stack_bytes.max(stack);
        let limit = self.settings.limits.memory;
        let progress = Progress {
            states: self.stats.stored,
            transitions: self.stats.transitions(),
            depth,
            bytes: self.monitor.held(stack) + store,
        };
        if self.stop.is_none() {
            // A store that spills makes room itself.
            let full = progress.bytes > limit && self.settings.spill.is_none();
            let full = full.then_some(Stop::Memory(limit));
            self.stop = full.or_else(|| self.monitor.tick(&progress));
        }
        if let Some(checkpoints) = &self.settings.checkpoints {
            self.pausing = self.stop.is_none() && checkpoints.is_due();
        }
    }

    /// Whether a checkpoint is due, which is written between two steps.
    pub(super) fn is_pausing(&self) -> bool {
        self.pausing
    }

    /// Whether this is the ledger of the worker that leads the search.
    pub(super) fn leads(&self) -> bool {
        self.monitor.leads()
    }

    /// It has been written, or will not be.
    pub(super) fn go_on(&mut self) {
        self.pausing = false;
    }

    /// Why the other workers should stop too, if this one has stopped.
    pub(super) fn reason_to_stop(&self) -> Option<Stop> {
        // When something has been found the reason is not needed.
        self.stop
            .or(self.at_violation().then_some(Stop::Interrupted))
    }

    /// The tally of a worker that does not lead the search.
    pub(super) fn hand_in(mut self, stack: u64) -> Tally<M> {
        self.stats.stack_bytes = self.stats.stack_bytes.max(stack);
        Tally {
            stats: self.stats,
            found: self.found,
            stop: self.stop,
            cut: self.cut,
        }
    }

    /// Takes over the tally of a worker.
    pub(super) fn take_over(&mut self, tally: Tally<M>) {
        let stack_bytes = self.stats.stack_bytes + tally.stats.stack_bytes;
        self.stats.add(&tally.stats);
        self.stats.stack_bytes = stack_bytes;
        self.stats.workers += tally.stats.workers;
        for (signature, found) in tally.found {
            if self.known.insert(signature.clone()) {
                self.found.push((signature, found));
            }
        }
        self.stop = self.stop.or(tally.stop);
        self.cut = self.cut.or(tally.cut);
    }

    /// The search has nowhere to go any more, or has been stopped.
    pub(super) fn close(mut self, store: &ExactStore, stack: u64) -> Outcome<M> {
        if let Some(Stop::Memory(_)) = self.stop {
            self.stop = match store.shortage() {
                Shortage::Limit => self.stop,
                Shortage::System => Some(Stop::OutOfMemory),
                Shortage::Disk => Some(Stop::DiskFull),
            };
        }
        self.end(store.bytes(), stack, End::Complete(Exhaustive(())))
    }

    /// The same of a search whose store may have taken new states for known ones: it is no evidence of anything.
    pub(super) fn close_lossy(self, store: u64, stack: u64) -> Outcome<M> {
        self.end(store, stack, End::Stopped(Stop::Lossy))
    }

    fn end(mut self, store: u64, stack: u64, otherwise: End) -> Outcome<M> {
        self.stats.stack_bytes = self.stats.stack_bytes.max(stack);
        self.stats.store_bytes = store;
        // A search that was stopped may not have come to what was accounted for early.
        self.stats.matched = self.stats.matched.saturating_sub(self.stats.early);
        self.stats.early = 0;
        let end = if self.at_violation() {
            End::AtViolation
        } else if let Some(stop) = self.stop {
            End::Stopped(stop)
        } else if let Some(cut) = self.cut {
            End::Stopped(cut)
        } else {
            otherwise
        };
        Outcome {
            found: self.found.into_iter().map(|(_, found)| found).collect(),
            end,
            stats: self.stats,
        }
    }
}

/// Checkpoints.
impl<M: Transition> Ledger<'_, M> {
    /// Writes the figures and the findings; they are read as a [`Tally`].
    pub(super) fn save(&self, out: &mut Out) -> io::Result<()> {
        self.stats.save(out)?;
        self.found.len().save(out)?;
        for (signature, found) in &self.found {
            found.save(out)?;
            let stuck = match signature {
                Signature::InvalidEnd(stuck) => stuck.as_slice(),
                Signature::Fault(..) | Signature::Cycle => &[],
            };
            save_list(stuck, out)?;
        }
        let cut = match self.cut {
            Some(Stop::Calls { depth, at }) => Some((depth, Some(at))),
            Some(_) => Some((0, None)),
            None => None,
        };
        cut.save(out)
    }

    /// Goes on with the figures and findings of a checkpoint.
    pub(super) fn restore(&mut self, mut tally: Tally<M>) {
        self.weight = 1 + tally.stats.vector_bytes as u32 / HEAVY;
        // A path that was cut off was so at the same depth.
        if let Some(Stop::Depth(depth)) = &mut tally.cut {
            *depth = self.settings.limits.depth;
        }
        tally.stats.workers = 0;
        self.take_over(tally);
    }

    /// The search cannot go on from its checkpoint.
    pub(super) fn refuse(&mut self, error: &io::Error) {
        self.stop = Some(why_not(error));
    }
}

impl<M: Transition> Tally<M> {
    /// Reads what [`Ledger::save`] has written.
    pub(super) fn load(input: &mut In) -> io::Result<Tally<M>> {
        let stats = Stats::load(input)?;
        let mut found = Vec::new();
        for _ in 0..usize::load(input)? {
            let (what, stuck) = <(Found<M>, Vec<u32>)>::load(input)?;
            let signature = match &what.event {
                Event::Fault(fault) => Signature::Fault(discriminant(&fault.kind), fault.span),
                Event::InvalidEnd => Signature::InvalidEnd(stuck),
                Event::Cycle { .. } => Signature::Cycle,
            };
            found.push((signature, what));
        }
        let cut = Option::<(u32, Option<Span>)>::load(input)?;
        Ok(Tally {
            stats,
            found,
            stop: None,
            cut: cut.map(|cut| match cut {
                (depth, Some(at)) => Stop::Calls { depth, at },
                (_, None) => Stop::Depth(0),
            }),
        })
    }
}
