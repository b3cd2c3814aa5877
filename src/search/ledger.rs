//! What every search keeps account of: violations, figures, limits.

use super::{End, Event, Exhaustive, Found, Outcome, Settings};
use crate::limits::{Monitor, Progress, Stop};
use crate::machine::{Fault, FaultKind};
use crate::stats::Stats;
use crate::store::{ExactStore, Insert, StateId};
use promela_lite::source::Span;
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

/// Units of work between two looks at limits that need a sum or a clock.
const TICK: u32 = 1024;

/// Two violations with the same signature are the same violation.
#[derive(PartialEq, Eq, Hash)]
enum Signature {
    Fault(Discriminant<FaultKind>, Span),
    InvalidEnd(Vec<u32>),
    Cycle,
}

/// The books of one search.
pub(super) struct Ledger<'a, M> {
    pub(super) settings: Settings,
    pub(super) stats: Stats,
    monitor: &'a mut dyn Monitor,
    found: Vec<Found<M>>,
    known: HashSet<Signature>,
    stop: Option<Stop>,
    cut: bool,
    until_tick: u32,
}

impl<'a, M> Ledger<'a, M> {
    pub(super) fn new(settings: &Settings, monitor: &'a mut dyn Monitor) -> Ledger<'a, M> {
        Ledger {
            settings: settings.clone(),
            stats: Stats::default(),
            monitor,
            found: Vec::new(),
            known: HashSet::new(),
            stop: None,
            cut: false,
            until_tick: TICK,
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
        self.cut = true;
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
                self.stats.stored += 1;
                self.stats.vector_bytes = self.stats.vector_bytes.max(bytes as u64);
                if self.stats.stored >= self.settings.limits.states {
                    self.stop = Some(Stop::States(self.settings.limits.states));
                }
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

    /// A move failed.
    pub(super) fn fault(&mut self, fault: Fault, path: impl FnOnce() -> Vec<M>) {
        self.stats.errors += 1;
        if self
            .known
            .insert(Signature::Fault(discriminant(&fault.kind), fault.span))
        {
            self.found.push(Found {
                event: Event::Fault(fault),
                path: path(),
            });
        }
    }

    /// An invalid end state was reached.
    pub(super) fn invalid_end(&mut self, stuck: Vec<u32>, path: impl FnOnce() -> Vec<M>) {
        self.stats.errors += 1;
        if self.known.insert(Signature::InvalidEnd(stuck)) {
            self.found.push(Found {
                event: Event::InvalidEnd,
                path: path(),
            });
        }
    }

    /// A cycle through an accepting state was found. One is enough: `tell` says where it starts and how it goes, which
    /// is a lot of work on a long path.
    pub(super) fn cycle(&mut self, tell: impl FnOnce() -> (usize, Vec<M>)) {
        self.stats.errors += 1;
        if self.known.insert(Signature::Cycle) {
            let (start, path) = tell();
            self.found.push(Found {
                event: Event::Cycle { start },
                path,
            });
        }
    }

    /// To be called once a unit of work; says when it is time for [`Ledger::tick`].
    #[inline]
    pub(super) fn due(&mut self) -> bool {
        self.until_tick -= 1;
        self.until_tick == 0
    }

    /// Looks at the limits. `stack` is the number of bytes held besides the store.
    pub(super) fn tick(&mut self, store: &mut ExactStore, stack: u64, depth: u64) {
        self.until_tick = TICK;
        self.stats.stack_bytes = self.stats.stack_bytes.max(stack);
        let limit = self.settings.limits.memory;
        store.set_limit(limit.saturating_sub(stack));
        let progress = Progress {
            states: self.stats.stored,
            transitions: self.stats.transitions(),
            depth,
            bytes: stack + store.bytes(),
        };
        if self.stop.is_none() {
            // A store that spills makes room itself.
            let full = progress.bytes > limit && self.settings.spill.is_none();
            let full = full.then_some(Stop::Memory(limit));
            self.stop = full.or_else(|| self.monitor.tick(&progress));
        }
    }

    /// The search has nowhere to go any more, or has been stopped.
    pub(super) fn close(mut self, store: &ExactStore, stack: u64) -> Outcome<M> {
        self.stats.stack_bytes = self.stats.stack_bytes.max(stack);
        self.stats.store_bytes = store.bytes();
        let end = if self.at_violation() {
            End::AtViolation
        } else if let Some(stop) = self.stop {
            End::Stopped(stop)
        } else if self.cut {
            End::Stopped(Stop::Depth(self.settings.limits.depth))
        } else {
            End::Complete(Exhaustive(()))
        };
        Outcome {
            found: self.found,
            end,
            stats: self.stats,
        }
    }
}
