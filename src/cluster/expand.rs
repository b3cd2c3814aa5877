//! The successors of one state, in memory: what a worker sends to their owners.
//!
//! Steps are those of all searches ([`crate::search::steps`]): one move, or a whole `atomic` sequence. What goes wrong is noted
//! with the moves of the step, so that whoever expands the same state again finds the same: a worker only says *that* something
//! is wrong in a state, and the first worker finds out what ([`super::path`]).

use crate::limits::{Cancellation, Stop};
use crate::machine::{Fault, FaultKind, Pid};
use crate::search::Event;
use crate::search::chain::Chains;
use crate::search::ledger::Signature;
use crate::search::steps::{Stepper, Visitor, Way};
use crate::space::{AmpleSets, Space};
use std::ops::Range;

/// Moves inside `atomic` sequences between two looks at the limits.
const LOOK: u32 = 1024;

/// Something wrong in a state.
#[derive(Clone, Debug)]
pub(super) struct Met<M> {
    pub(super) signature: Signature,
    pub(super) event: Event,
    /// The moves of the step in which it happens.
    pub(super) step: Vec<M>,
}

/// Where a successor ends in [`Successors::bytes`]: its key, and what goes along with it.
#[derive(Copy, Clone, Debug)]
struct Ends {
    key: usize,
    all: usize,
}

/// What the steps of one state led to.
pub(super) struct Successors<M> {
    bytes: Vec<u8>,
    ends: Vec<Ends>,
    pub(super) met: Vec<Met<M>>,
    pub(super) stop: Option<Stop>,
    pub(super) cut: Option<Stop>,
    pub(super) atomic_steps: u64,
    pub(super) atomic_repeats: u64,
    chains: Chains,
    all_errors: bool,
    cancellation: Cancellation,
    until_look: u32,
}

impl<M: Copy> Successors<M> {
    /// The key of each successor, and what goes along with it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |ends| {
            let (key, along) = self.bytes[start..ends.all].split_at(ends.key - start);
            start = ends.all;
            (key, along)
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.met.clear();
        self.atomic_steps = 0;
        self.atomic_repeats = 0;
        self.chains.left(0);
        self.chains.progress();
    }

    fn fault(&mut self, fault: Fault, step: impl FnOnce() -> Vec<M>) {
        match fault.kind {
            FaultKind::Stopped(stop) => _ = self.stop.get_or_insert(stop),
            FaultKind::CallTooDeep { depth } => {
                let at = fault.span;
                self.cut.get_or_insert(Stop::Calls { depth, at });
            }
            _ => self.met.push(Met {
                signature: Signature::of(&fault),
                event: Event::Fault(fault),
                step: step(),
            }),
        }
    }
}

impl<P: Space> Visitor<P> for Successors<P::Move> {
    type Mark = ();

    #[inline]
    fn mark(&mut self, _: Option<()>, _: P::Move) {}

    #[inline]
    fn control_kept(&mut self, _: impl FnOnce() -> u64) {
        self.atomic_steps += 1;
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = LOOK;
            self.stop = self.stop.or_else(|| self.cancellation.poll());
        }
    }

    fn follow(&mut self, state: &[u8], pid: Pid, way: &Way<'_, P::Move>) -> bool {
        let depth = way.inner_states() as u32 + 1;
        let follow = self.chains.follow(0, depth, state, pid);
        self.atomic_repeats += u64::from(!follow);
        follow
    }

    #[inline]
    fn arrive(&mut self, space: &mut P, state: &mut Vec<u8>, way: &Way<'_, P::Move>, (): ()) {
        match space.settle(state) {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => return Visitor::<P>::fault(self, space, fault, way),
        }
        let key = self.bytes.len() + space.stored_len(state);
        self.bytes.extend_from_slice(state);
        let all = self.bytes.len();
        self.ends.push(Ends { key, all });
    }

    fn fault(&mut self, _: &mut P, fault: Fault, way: &Way<'_, P::Move>) {
        Successors::fault(self, fault, || way.moves().collect());
    }

    fn goes_on(&self) -> bool {
        self.all_errors
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.stop.is_some() || (!self.all_errors && !self.met.is_empty())
    }
}

/// A state and what can happen in it.
pub(super) struct Expansion<P: Space> {
    pub(super) state: Vec<u8>,
    enabled: Vec<P::Move>,
    timeout: bool,
    /// Whether ample sets are asked for: all moves are listed, and none waits for a timeout.
    reducible: bool,
    stepper: Stepper<P::Move, ()>,
    pub(super) found: Successors<P::Move>,
    end_states: bool,
}

impl<P: AmpleSets> Expansion<P> {
    pub(super) fn new(
        all_errors: bool,
        end_states: bool,
        cancellation: &Cancellation,
    ) -> Expansion<P> {
        Expansion {
            state: Vec::new(),
            enabled: Vec::new(),
            timeout: false,
            reducible: false,
            stepper: Stepper::default(),
            found: Successors {
                bytes: Vec::new(),
                ends: Vec::new(),
                met: Vec::new(),
                stop: None,
                cut: None,
                atomic_steps: 0,
                atomic_repeats: 0,
                chains: Chains::default(),
                all_errors,
                cancellation: cancellation.clone(),
                until_look: LOOK,
            },
            end_states,
        }
    }

    /// Lists what can happen in [`Expansion::state`].
    pub(super) fn list(&mut self, space: &mut P) {
        self.found.clear();
        self.enabled.clear();
        self.timeout = false;
        self.reducible = false;
        match space.moves(&self.state, None, &mut self.enabled) {
            Ok(info) => {
                self.timeout = info.timeout;
                self.reducible = !info.timeout && !self.enabled.is_empty() && space.reduces();
                if self.enabled.is_empty()
                    && self.end_states
                    && let Some(stuck) = space.stuck_at(&self.state)
                {
                    self.found.met.push(Met {
                        signature: Signature::InvalidEnd(stuck),
                        event: Event::InvalidEnd,
                        step: Vec::new(),
                    });
                }
            }
            Err((mv, fault)) => self.found.fault(fault, || vec![mv]),
        }
    }

    /// Makes all moves.
    pub(super) fn make_all(&mut self, space: &mut P) {
        self.make(space, 0..self.enabled.len());
    }

    /// Makes the moves of the ample set with that number and nothing else; says whether there is one.
    pub(super) fn make_ample(&mut self, space: &mut P, index: usize) -> bool {
        if !self.reducible {
            return false;
        }
        let Some(count) = space.ample(&self.state, &mut self.enabled, index) else {
            return false;
        };
        self.found.clear();
        self.make(space, 0..count);
        true
    }

    /// No ample set was good enough: all moves are made, and nothing but them counts.
    pub(super) fn make_all_instead(&mut self, space: &mut P) {
        self.found.clear();
        self.make_all(space);
    }

    /// Whether there may be ample sets.
    pub(super) fn is_reducible(&self) -> bool {
        self.reducible
    }

    fn make(&mut self, space: &mut P, moves: Range<usize>) {
        for &mv in &self.enabled[moves] {
            if Visitor::<P>::stopped(&self.found) {
                break;
            }
            let state = (self.state.as_slice(), self.timeout);
            self.stepper.make(space, state, mv, &mut self.found);
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        let found = &self.found;
        let ends = found.ends.capacity() * size_of::<Ends>();
        let moves = self.enabled.capacity() * size_of::<P::Move>();
        self.stepper.bytes() + found.chains.bytes() + (found.bytes.capacity() + ends + moves) as u64
    }
}
