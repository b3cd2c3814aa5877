//! The successors of one state, all at once.
//!
//! A step is one move, or a whole `atomic` sequence ([`steps`](super::super::steps)). Where each step leads is made before any
//! of it is looked up, so that the store can bring the memory that will be asked for in the meantime.

use super::super::chain::Chains;
use super::super::ledger::{Ledger, Tally};
use super::super::steps::{Stepper, Visitor, Way};
use super::super::{Outcome, Settings};
use super::Estimate;
use super::stack::{FIRST, Link, Stack, chain};
use crate::limits::Monitor;
use crate::machine::{Fault, Pid};
use crate::space::{AmpleSets, Space, split};
use crate::store::{Fingerprint, LossyStore, Sketch};

/// A successor.
#[derive(Copy, Clone, Debug)]
pub(super) struct Successor {
    pub(super) fingerprint: Fingerprint,
    at: usize,
    end: usize,
    /// Length of what is stored of it.
    key: usize,
    pub(super) link: u32,
}

/// Which of the moves of a state are made, where the space offers ample sets.
pub(super) enum Extent<'e> {
    /// Those of the first set that is good enough, judging by where its moves lead; `refuse` is told the numbers of the
    /// others.
    Enough(&'e dyn Fn(&[Successor]) -> bool, &'e mut dyn FnMut(u32)),
    /// Those of the first set that is not refused.
    Unless(&'e dyn Fn(u32) -> bool),
}

pub(super) struct Steps<'a, P: AmpleSets> {
    pub(super) space: &'a mut P,
    pub(super) ledger: Ledger<'a, P::Move>,
    /// The state whose successors these are.
    pub(super) state: Vec<u8>,
    enabled: Vec<P::Move>,
    stepper: Stepper<P::Move, u32>,
    successors: Successors<P::Move>,
    visited: Sketch,
}

/// The successors that have been made.
struct Successors<M> {
    made: Vec<Successor>,
    bytes: Vec<u8>,
    links: Vec<Link<M>>,
    chains: Chains,
    /// Whether what is done now counts as visiting.
    counts: bool,
}

impl<M> Successors<M> {
    fn new() -> Successors<M> {
        Successors {
            made: Vec::new(),
            bytes: Vec::new(),
            links: Vec::new(),
            chains: Chains::default(),
            counts: true,
        }
    }

    fn clear(&mut self) {
        self.made.clear();
        self.bytes.clear();
        self.links.clear();
        self.chains.left(0);
        self.chains.progress();
    }
}

/// Where the steps of the topmost state of a stack lead.
struct Arrivals<'v, 'a, P: Space> {
    ledger: &'v mut Ledger<'a, P::Move>,
    successors: &'v mut Successors<P::Move>,
    store: &'v LossyStore,
    stack: &'v Stack<P::Move>,
}

impl<P: Space> Visitor<P> for Arrivals<'_, '_, P> {
    /// The link of the move.
    type Mark = u32;

    #[inline]
    fn mark(&mut self, before: Option<u32>, mv: P::Move) -> u32 {
        let links = &mut self.successors.links;
        let before = before.unwrap_or(FIRST);
        links.push(Link { before, mv });
        links.len() as u32 - 1
    }

    #[inline]
    fn control_kept(&mut self, held: impl FnOnce() -> u64) {
        self.ledger.stats.atomic_steps += u64::from(self.successors.counts);
        if self.ledger.due() {
            let held = held() + self.successors.chains.bytes();
            self.ledger.look_within(self.store.bytes(), held);
        }
    }

    fn follow(&mut self, state: &[u8], pid: Pid, way: &Way<'_, P::Move>) -> bool {
        let depth = way.inner_states() as u32 + 1;
        let follow = self.successors.chains.follow(0, depth, state, pid);
        self.ledger.stats.atomic_repeats += u64::from(!follow);
        follow
    }

    /// A state like any other, unless the space does not want it.
    #[inline]
    fn arrive(&mut self, space: &mut P, state: &mut Vec<u8>, way: &Way<'_, P::Move>, link: u32) {
        match space.settle(state) {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => return self.fault(space, fault, way),
        }
        let key = split(space, state).0;
        let fingerprint = Fingerprint::of(key);
        self.store.prefetch(fingerprint);
        let Successors { made, bytes, .. } = self.successors;
        made.push(Successor {
            fingerprint,
            at: bytes.len(),
            end: bytes.len() + state.len(),
            key: key.len(),
            link,
        });
        bytes.extend_from_slice(state);
    }

    fn fault(&mut self, _: &mut P, fault: Fault, way: &Way<'_, P::Move>) {
        let stack = self.stack;
        self.ledger.fault(fault, || {
            let mut path = stack.moves();
            path.extend(way.moves());
            path
        });
    }

    fn goes_on(&self) -> bool {
        self.ledger.settings.all_errors
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.ledger.stopped()
    }
}

impl<'a, P: AmpleSets> Steps<'a, P> {
    pub(super) fn new(
        space: &'a mut P,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
    ) -> Steps<'a, P> {
        Steps {
            space,
            ledger: Ledger::new(settings, monitor),
            state: Vec::new(),
            enabled: Vec::new(),
            stepper: Stepper::default(),
            successors: Successors::new(),
            visited: Sketch::default(),
        }
    }

    /// Puts the initial state on the stack; it is yet to be entered.
    pub(super) fn begin(&mut self, stack: &mut Stack<P::Move>) {
        match self.space.initial(&mut self.state) {
            Ok(()) => {
                let key = split(self.space, &self.state).0;
                stack.start(&self.state, Fingerprint::of(key));
            }
            Err(fault) => self.ledger.fault(fault, Vec::new),
        }
    }

    pub(super) fn link(&self, link: u32) -> Link<P::Move> {
        self.successors.links[link as usize]
    }

    pub(super) fn links(&self) -> &[Link<P::Move>] {
        &self.successors.links
    }

    /// The successors.
    pub(super) fn made(&self) -> &[Successor] {
        &self.successors.made
    }

    /// The bytes of a successor.
    pub(super) fn state(&self, made: &Successor) -> &[u8] {
        &self.successors.bytes[made.at..made.end]
    }

    /// What is stored of a successor.
    pub(super) fn key(&self, made: &Successor) -> &[u8] {
        &self.successors.bytes[made.at..made.at + made.key]
    }

    /// Accounts for an arrival at a new state of that many bytes.
    #[inline]
    pub(super) fn arrived(&mut self, fingerprint: Fingerprint, bytes: usize) {
        self.visited.add(fingerprint);
        self.ledger.stored(bytes);
    }

    /// Accounts for an arrival at a state that has been visited.
    #[inline]
    pub(super) fn matched(&mut self) {
        self.ledger.stats.matched += 1;
    }

    /// Records a cycle: the path, and back from its end to the state at `place` by way of a successor.
    pub(super) fn cycle(&mut self, stack: &Stack<P::Move>, made: &Successor, place: usize) {
        let Steps {
            ledger, successors, ..
        } = self;
        ledger.cycle(|| {
            let mut path = stack.moves();
            chain(&successors.links, made.link, &mut path);
            (stack.moves_to(place).len(), path)
        });
    }

    /// The search has nowhere to go any more, or has been stopped.
    pub(super) fn finish(
        self,
        store: &LossyStore,
        stack: &Stack<P::Move>,
    ) -> (Outcome<P::Move>, Estimate) {
        let estimate = Estimate {
            loss: store.loss(self.ledger.stats.stored),
            visited: self.visited.clone(),
        };
        let bytes = stack.size() + self.size();
        (self.ledger.close_lossy(store.bytes(), bytes), estimate)
    }

    /// The same for a worker that is not the lead.
    pub(super) fn hand_in(self, stack: &Stack<P::Move>) -> (Tally<P::Move>, Sketch) {
        let bytes = stack.size() + self.size();
        (self.ledger.hand_in(bytes), self.visited)
    }

    /// Takes over what a worker has found out.
    pub(super) fn take_over(&mut self, (tally, visited): (Tally<P::Move>, Sketch)) {
        self.ledger.take_over(tally);
        self.visited.join(&visited);
    }

    /// Makes the successors of `state`, which is the topmost one of the stack. When `counts` is false the figures stay as
    /// they are: it has been done before.
    pub(super) fn expand(
        &mut self,
        store: &LossyStore,
        stack: &Stack<P::Move>,
        extent: Extent<'_>,
        counts: bool,
    ) {
        self.successors.clear();
        self.successors.counts = counts;
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        let (timeout, whole) = match self.space.moves(&self.state, None, &mut enabled) {
            Ok(info) => {
                if enabled.is_empty() && counts {
                    self.check_end(stack);
                }
                (info.timeout, true)
            }
            Err((mv, fault)) => {
                self.ledger.fault(fault, || {
                    let mut path = stack.moves();
                    path.push(mv);
                    path
                });
                (false, false)
            }
        };
        let reduces = whole && !timeout && self.space.reduces();
        match reduces && self.expand_ample(store, stack, extent, &mut enabled) {
            true => self.ledger.stats.reduced += u64::from(counts),
            false => self.make(store, stack, &enabled, timeout),
        }
        self.enabled = enabled;
    }

    /// Makes the moves of an ample set, if there is one that will do.
    fn expand_ample(
        &mut self,
        store: &LossyStore,
        stack: &Stack<P::Move>,
        mut extent: Extent<'_>,
        enabled: &mut Vec<P::Move>,
    ) -> bool {
        for index in 0.. {
            let Some(count) = self.space.ample(&self.state, enabled, index as usize) else {
                break;
            };
            if let Extent::Unless(refused) = &extent {
                if refused(index) {
                    continue;
                }
                self.make(store, stack, &enabled[..count], false);
                return true;
            }
            let before = self.ledger.stats;
            self.make(store, stack, &enabled[..count], false);
            if let Extent::Enough(enough, refuse) = &mut extent {
                // Moves that all fail lead nowhere: the others must not be left out for them.
                if !self.made().is_empty() && enough(self.made()) {
                    return true;
                }
                refuse(index);
            }
            self.ledger.stats = before;
            self.successors.clear();
        }
        if self.successors.counts {
            self.space.refused(&self.state, enabled);
        }
        false
    }

    /// Makes moves of the state at hand.
    fn make(
        &mut self,
        store: &LossyStore,
        stack: &Stack<P::Move>,
        moves: &[P::Move],
        timeout: bool,
    ) {
        let mut arrivals = Arrivals {
            ledger: &mut self.ledger,
            successors: &mut self.successors,
            store,
            stack,
        };
        for &mv in moves {
            if arrivals.stopped() {
                break;
            }
            let state = (self.state.as_slice(), timeout);
            self.stepper.make(self.space, state, mv, &mut arrivals);
        }
    }

    fn check_end(&mut self, stack: &Stack<P::Move>) {
        if !self.ledger.settings.end_states {
            return;
        }
        let Some(stuck) = self.space.stuck_at(&self.state) else {
            return;
        };
        self.ledger.invalid_end(stuck, || stack.moves());
    }

    /// Looks at the limits now and then.
    #[inline]
    pub(super) fn tick(&mut self, store: &LossyStore, stack: &Stack<P::Move>) {
        if self.ledger.due() {
            self.look(store, stack);
        }
    }

    /// Looks at the limits.
    pub(super) fn look(&mut self, store: &LossyStore, stack: &Stack<P::Move>) {
        let bytes = stack.size() + self.size();
        self.ledger.look(store.bytes(), bytes, stack.depth());
    }

    /// Bytes in use.
    pub(super) fn size(&self) -> u64 {
        let Successors {
            made,
            bytes,
            links,
            chains,
            ..
        } = &self.successors;
        let moves = self.enabled.capacity() * size_of::<P::Move>();
        let links = links.capacity() * size_of::<Link<P::Move>>();
        let made = made.capacity() * size_of::<Successor>() + bytes.capacity();
        (moves + links + made) as u64 + self.stepper.bytes() + chains.bytes()
    }
}
