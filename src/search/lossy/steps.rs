//! The successors of one state, all at once.
//!
//! A step is one move, or a whole `atomic` sequence, whose inner states are followed but not kept (see
//! [`chain`](super::super::chain) about those that do not end). Where each step leads is made before any of it is looked
//! up, so that the store can bring the memory that will be asked for in the meantime.

use super::super::chain::Chains;
use super::super::ledger::{Ledger, Tally};
use super::super::{Outcome, Settings, Space, split};
use super::Estimate;
use super::stack::{FIRST, Link, Stack, chain};
use crate::limits::Monitor;
use crate::machine::{Fault, Pid};
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

/// An inner state of an `atomic` sequence.
#[derive(Copy, Clone, Debug)]
struct Inner {
    at: usize,
    end: usize,
    depth: u32,
    timeout: bool,
    link: u32,
}

/// Which of the moves of a state are made, where the space offers ample sets.
pub(super) enum Extent<'e> {
    /// Those of the first set that is good enough, judging by where its moves lead; `refuse` is told the numbers of the
    /// others.
    Enough(&'e dyn Fn(&[Successor]) -> bool, &'e mut dyn FnMut(u32)),
    /// Those of the first set that is not refused.
    Unless(&'e dyn Fn(u32) -> bool),
}

pub(super) struct Steps<'a, P: Space> {
    pub(super) space: &'a mut P,
    pub(super) ledger: Ledger<'a, P::Move>,
    /// The state whose successors these are.
    pub(super) state: Vec<u8>,
    pub(super) made: Vec<Successor>,
    bytes: Vec<u8>,
    links: Vec<Link<P::Move>>,
    next: Vec<u8>,
    enabled: Vec<P::Move>,
    scratch: Vec<P::Move>,
    inner: Vec<Inner>,
    held: Vec<u8>,
    todo: Vec<(usize, P::Move)>,
    chains: Chains,
    visited: Sketch,
    /// Whether what is done now counts as visiting.
    counts: bool,
}

impl<'a, P: Space> Steps<'a, P> {
    pub(super) fn new(
        space: &'a mut P,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
    ) -> Steps<'a, P> {
        Steps {
            space,
            ledger: Ledger::new(settings, monitor),
            state: Vec::new(),
            made: Vec::new(),
            bytes: Vec::new(),
            links: Vec::new(),
            next: Vec::new(),
            enabled: Vec::new(),
            scratch: Vec::new(),
            inner: Vec::new(),
            held: Vec::new(),
            todo: Vec::new(),
            chains: Chains::default(),
            visited: Sketch::default(),
            counts: true,
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
        self.links[link as usize]
    }

    pub(super) fn links(&self) -> &[Link<P::Move>] {
        &self.links
    }

    /// The bytes of a successor.
    pub(super) fn state(&self, made: &Successor) -> &[u8] {
        &self.bytes[made.at..made.end]
    }

    /// What is stored of a successor.
    pub(super) fn key(&self, made: &Successor) -> &[u8] {
        &self.bytes[made.at..made.at + made.key]
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
        let Steps { ledger, links, .. } = self;
        ledger.cycle(|| {
            let mut path = stack.moves();
            chain(links, made.link, &mut path);
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
        self.clear();
        self.counts = counts;
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
                self.report(fault, stack, FIRST, Some(mv));
                (false, false)
            }
        };
        let reduces = whole && !timeout && self.space.reduces();
        match reduces && self.expand_ample(store, stack, extent, &mut enabled) {
            true => self.ledger.stats.reduced += u64::from(self.counts),
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
                if !self.made.is_empty() && enough(&self.made) {
                    return true;
                }
                refuse(index);
            }
            self.ledger.stats = before;
            self.clear();
        }
        if self.counts {
            self.space.refused(&self.state, enabled);
        }
        false
    }

    fn clear(&mut self) {
        self.made.clear();
        self.bytes.clear();
        self.links.clear();
        self.chains.progress();
    }

    /// Makes moves of the state at hand.
    fn make(
        &mut self,
        store: &LossyStore,
        stack: &Stack<P::Move>,
        moves: &[P::Move],
        timeout: bool,
    ) {
        for &mv in moves {
            if self.ledger.stopped() {
                break;
            }
            let step = match self.space.apply(&self.state, mv, timeout, &mut self.next) {
                Ok(step) => Some(step),
                Err(failure) => {
                    self.report(failure.fault, stack, FIRST, Some(mv));
                    failure.step.filter(|_| self.ledger.settings.all_errors)
                }
            };
            let Some(step) = step else { continue };
            let link = self.add(FIRST, mv);
            match step.control {
                None => self.arrive(store, stack, link),
                Some(pid) => {
                    self.pass(store, stack, (link, 1), pid);
                    self.follow(store, stack);
                }
            }
        }
        self.chains.left(0);
    }

    fn add(&mut self, before: u32, mv: P::Move) -> u32 {
        self.links.push(Link { before, mv });
        self.links.len() as u32 - 1
    }

    /// `next` is a state like any other, unless the space does not want it.
    #[inline]
    fn arrive(&mut self, store: &LossyStore, stack: &Stack<P::Move>, link: u32) {
        match self.space.settle(&mut self.next) {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => return self.report(fault, stack, link, None),
        }
        let key = split(self.space, &self.next).0;
        let fingerprint = Fingerprint::of(key);
        store.prefetch(fingerprint);
        self.made.push(Successor {
            fingerprint,
            at: self.bytes.len(),
            end: self.bytes.len() + self.next.len(),
            key: key.len(),
            link,
        });
        self.bytes.extend_from_slice(&self.next);
    }

    /// `next` is a state in which `pid` has control: it becomes an inner state if `pid` can go on.
    fn pass(
        &mut self,
        store: &LossyStore,
        stack: &Stack<P::Move>,
        (link, depth): (u32, u32),
        pid: Pid,
    ) {
        if self.counts {
            self.ledger.stats.atomic_steps += 1;
        }
        self.scratch.clear();
        let timeout = match self.space.moves(&self.next, Some(pid), &mut self.scratch) {
            Ok(info) if info.control_lost || self.scratch.is_empty() => {
                return self.arrive(store, stack, link);
            }
            Ok(info) => info.timeout,
            Err((mv, fault)) => {
                self.report(fault, stack, link, Some(mv));
                false
            }
        };
        if !self.chains.follow(0, depth, &self.next, pid) {
            self.ledger.stats.atomic_repeats += 1;
            return;
        }
        let from = self.inner.len();
        self.inner.push(Inner {
            at: self.held.len(),
            end: self.held.len() + self.next.len(),
            depth,
            timeout,
            link,
        });
        self.held.extend_from_slice(&self.next);
        self.todo
            .extend(self.scratch.iter().rev().map(|&mv| (from, mv)));
    }

    /// Follows an `atomic` sequence to all its ends.
    fn follow(&mut self, store: &LossyStore, stack: &Stack<P::Move>) {
        while let Some((from, mv)) = self.todo.pop() {
            if self.ledger.stopped() {
                self.todo.clear();
                break;
            }
            let inner = self.inner[from];
            let state = &self.held[inner.at..inner.end];
            let step = match self.space.apply(state, mv, inner.timeout, &mut self.next) {
                Ok(step) => Some(step),
                Err(failure) => {
                    self.report(failure.fault, stack, inner.link, Some(mv));
                    failure.step.filter(|_| self.ledger.settings.all_errors)
                }
            };
            let Some(step) = step else { continue };
            let link = self.add(inner.link, mv);
            match step.control {
                None => self.arrive(store, stack, link),
                Some(pid) => self.pass(store, stack, (link, inner.depth + 1), pid),
            }
        }
        self.inner.clear();
        self.held.clear();
    }

    fn report(&mut self, fault: Fault, stack: &Stack<P::Move>, link: u32, last: Option<P::Move>) {
        let Steps { ledger, links, .. } = self;
        ledger.fault(fault, || {
            let mut path = stack.moves();
            chain(links, link, &mut path);
            path.extend(last);
            path
        });
    }

    fn check_end(&mut self, stack: &Stack<P::Move>) {
        if !self.ledger.settings.end_states || self.space.is_valid_end(&self.state) {
            return;
        }
        let mut stuck = Vec::new();
        self.space.stuck_at(&self.state, &mut stuck);
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
        let moves = self.enabled.capacity() + self.links.capacity() * 2 + self.todo.capacity() * 2;
        let bytes = self.bytes.capacity() + self.held.capacity();
        (moves * size_of::<P::Move>() + bytes) as u64 + self.chains.bytes()
    }
}
