//! The moving parts that all strategies share: the current path, making a move, arriving somewhere.
//!
//! The path is a stack of small frames. A frame names its state by its place in the store, so a deep stack
//! does not hold state vectors; only inner states of `atomic` sequences, which are not stored, keep their bytes
//! in `held`. The moves that a frame has still to make lie in `moves`, all frames' in one vector, next one
//! last. While a frame is not the topmost, the last of its moves is the one being explored: the current path
//! can be read off the stack, and a frame that has nothing left to do is dropped without looking at its state
//! again.
//!
//! A strategy calls [`Walk::next`] until it says no, and decides what to do with new states: [`Walk::enter`]
//! them, or [`Walk::retract`] and come back later.

use super::chain::Chains;
use super::connect::connect;
use super::{End, Event, Exhaustive, Found, Outcome, Settings, Space, load, split};
use crate::limits::{Monitor, Progress, Stop};
use crate::machine::{Fault, FaultKind, Pid};
use crate::stats::Stats;
use crate::store::{ExactStore, Insert, StateId, Store};
use promela_lite::source::Span;
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant, swap};

/// Moves between two looks at limits that need a sum or a clock.
const TICK: u32 = 1024;

/// A state on the current path.
#[derive(Copy, Clone)]
struct Frame {
    /// Place of the state (in the store, or of its bytes in `held`), and flags in the upper bits.
    place: u64,
    /// Where its moves begin.
    base: u32,
    /// Number of atomic steps since the last stored state; 0 for a stored state.
    inner: u32,
}

const TIMEOUT: u64 = 1 << 63;
const PLACE: u64 = (1 << StateId::BITS) - 1;
/// The parent of the initial state: no record lies there.
const NOWHERE: u64 = PLACE;

/// Where a move led.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// A stored state that was not there before. It is in `next`, not entered yet.
    New(StateId),
    /// An inner state of an `atomic` sequence, which has been entered.
    Inner,
    /// Nothing to follow: a state already stored, a failed move, no room. The move has been retracted.
    Nothing,
}

pub(super) struct Walk<'a, P: Space> {
    space: &'a mut P,
    store: ExactStore,
    settings: Settings,
    monitor: &'a mut dyn Monitor,
    /// Whether records name the state they were first reached from.
    parents: bool,
    /// Bytes of a state that go along without being stored as key.
    along: usize,
    frames: Vec<Frame>,
    moves: Vec<P::Move>,
    held: Vec<u8>,
    state: Vec<u8>,
    next: Vec<u8>,
    scratch: Vec<P::Move>,
    extra: Vec<u8>,
    chains: Chains,
    found: Vec<Found<P::Move>>,
    known: HashSet<Signature>,
    stats: Stats,
    stop: Option<Stop>,
    cut: bool,
    until_tick: u32,
    /// With `parents`: the stored state that the current path starts at.
    origin: u64,
    /// Bytes that the strategy itself holds.
    pub(super) queue_bytes: u64,
    /// Depth of the state that is being expanded, where the path does not start at the initial state.
    pub(super) level: u64,
}

/// Two violations with the same signature are the same violation.
#[derive(PartialEq, Eq, Hash)]
enum Signature {
    Fault(Discriminant<FaultKind>, Span),
    InvalidEnd(Vec<u32>),
}

impl<'a, P: Space> Walk<'a, P> {
    /// Starts at the initial state, which is stored but not entered.
    pub(super) fn start(
        space: &'a mut P,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
        parents: bool,
    ) -> (Walk<'a, P>, Option<StateId>) {
        let mut next = Vec::new();
        let started = space.initial(&mut next);
        let along = if started.is_ok() {
            split(space, &next).1.len()
        } else {
            0
        };
        let extra = along + if parents { StateId::BYTES } else { 0 };
        let mut walk = Walk {
            space,
            store: ExactStore::new(extra, settings.limits.memory),
            settings: *settings,
            monitor,
            parents,
            along,
            frames: Vec::new(),
            moves: Vec::new(),
            held: Vec::new(),
            state: Vec::new(),
            next,
            scratch: Vec::new(),
            extra: Vec::new(),
            chains: Chains::default(),
            found: Vec::new(),
            known: HashSet::new(),
            stats: Stats::default(),
            stop: None,
            cut: false,
            until_tick: TICK,
            origin: NOWHERE,
            queue_bytes: 0,
            level: 0,
        };
        let first = match started {
            Ok(()) => walk.insert(),
            Err(fault) => {
                walk.fault(fault, None);
                None
            }
        };
        (walk, first)
    }

    /// Whether the search is to end now.
    pub(super) fn stopped(&self) -> bool {
        self.stop.is_some() || (!self.settings.all_errors && !self.found.is_empty())
    }

    /// Makes the next move, if there is one.
    pub(super) fn next(&mut self) -> Option<Reached> {
        loop {
            if self.stopped() {
                return None;
            }
            let frame = *self.frames.last()?;
            if self.moves.len() > frame.base as usize {
                break;
            }
            self.leave();
        }
        self.until_tick -= 1;
        if self.until_tick == 0 {
            self.tick();
        }
        let reached = self.make_move();
        if reached == Reached::Nothing {
            self.retract();
        }
        Some(reached)
    }

    fn make_move(&mut self) -> Reached {
        let frame = self.frames[self.frames.len() - 1];
        let mv = self.moves[self.moves.len() - 1];
        let timeout = frame.place & TIMEOUT != 0;
        let step = match self.space.apply(&self.state, mv, timeout, &mut self.next) {
            Ok(step) => step,
            Err(failure) => {
                self.fault(failure.fault, None);
                match failure.step {
                    Some(step) if self.settings.all_errors => step,
                    _ => return Reached::Nothing,
                }
            }
        };
        match step.control {
            None => self.arrive(),
            Some(pid) => self.pass(frame, pid),
        }
    }

    /// `next` is a state like any other: store it.
    fn arrive(&mut self) -> Reached {
        match self.insert() {
            Some(id) => Reached::New(id),
            None => Reached::Nothing,
        }
    }

    fn insert(&mut self) -> Option<StateId> {
        let (key, along) = split(self.space, &self.next);
        let extra = if self.parents {
            self.extra.clear();
            self.extra.extend_from_slice(along);
            self.extra
                .extend_from_slice(&StateId::from_raw(self.origin).to_bytes());
            &self.extra
        } else {
            along
        };
        match self.store.insert(key, extra) {
            Insert::New(id) => {
                self.stats.stored += 1;
                self.stats.vector_bytes = self.stats.vector_bytes.max(key.len() as u64);
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
                self.stop = Some(Stop::Memory(self.settings.limits.memory));
                None
            }
        }
    }

    /// `next` is a state in which `pid` has control: go on from it without storing it, if `pid` can go on.
    fn pass(&mut self, from: Frame, pid: Pid) -> Reached {
        self.stats.atomic_steps += 1;
        self.scratch.clear();
        let offer = match self.space.moves(&self.next, Some(pid), &mut self.scratch) {
            Ok(offer) if offer.control_lost || self.scratch.is_empty() => return self.arrive(),
            Ok(offer) => offer,
            Err((mv, fault)) => {
                self.fault(fault, Some(mv));
                Default::default()
            }
        };
        let start = self.frames.len() - 1 - from.inner as usize;
        if !self.chains.follow(start, from.inner + 1, &self.next, pid) {
            self.stats.atomic_repeats += 1;
            return Reached::Nothing;
        }
        if self.too_deep() {
            return Reached::Nothing;
        }
        let place = self.held.len() as u64;
        self.held.extend_from_slice(&self.next);
        self.push(place, offer.timeout, from.inner + 1);
        Reached::Inner
    }

    /// Enters the state just reached as `New`.
    pub(super) fn enter(&mut self, id: StateId) {
        if self.too_deep() {
            self.retract();
        } else {
            self.expand(id);
        }
    }

    /// Begins a new path at a stored state.
    pub(super) fn open(&mut self, id: StateId) {
        self.origin = id.raw();
        load(&self.store, id, self.along, &mut self.next);
        self.expand(id);
    }

    fn expand(&mut self, id: StateId) {
        self.chains.progress();
        self.scratch.clear();
        let offer = match self.space.moves(&self.next, None, &mut self.scratch) {
            Ok(offer) => {
                if self.scratch.is_empty() {
                    self.check_end();
                }
                offer
            }
            Err((mv, fault)) => {
                self.fault(fault, Some(mv));
                Default::default()
            }
        };
        self.push(id.raw(), offer.timeout, 0);
    }

    /// Pushes a frame for the state in `next` with the moves in `scratch`.
    fn push(&mut self, place: u64, timeout: bool, inner: u32) {
        let Ok(base) = u32::try_from(self.moves.len() + self.scratch.len()) else {
            self.stop = Some(Stop::Memory(self.settings.limits.memory));
            return;
        };
        let base = base - self.scratch.len() as u32;
        self.moves.extend(self.scratch.iter().rev());
        let timeout = if timeout { TIMEOUT } else { 0 };
        self.frames.push(Frame {
            place: place | timeout,
            base,
            inner,
        });
        self.stats.depth = self.stats.depth.max(self.depth());
        swap(&mut self.state, &mut self.next);
    }

    fn depth(&self) -> u64 {
        self.level + (self.frames.len() as u64).saturating_sub(1)
    }

    fn too_deep(&mut self) -> bool {
        let deep = !self.frames.is_empty() && self.depth() >= self.settings.limits.depth;
        self.cut |= deep;
        deep
    }

    /// The strategy leaves a state out because of the depth limit.
    pub(super) fn cut(&mut self) {
        self.cut = true;
    }

    /// The topmost frame is done.
    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            if frame.inner > 0 {
                self.held.truncate((frame.place & PLACE) as usize);
            }
            self.chains.left(self.frames.len());
            self.retract_from_below();
        }
    }

    /// Takes back the move being explored; the state of the topmost frame is still in `state`.
    pub(super) fn retract(&mut self) {
        self.moves.pop();
    }

    /// Takes back the move being explored, and fetches the state if there is more to do in it.
    fn retract_from_below(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        self.moves.pop();
        if self.moves.len() == frame.base as usize {
            return;
        }
        if frame.inner > 0 {
            self.state.clear();
            self.state
                .extend_from_slice(&self.held[(frame.place & PLACE) as usize..]);
        } else {
            let id = StateId::from_raw(frame.place & PLACE);
            load(&self.store, id, self.along, &mut self.state);
        }
    }

    fn check_end(&mut self) {
        if !self.settings.end_states || self.space.is_valid_end(&self.next) {
            return;
        }
        self.stats.errors += 1;
        let mut stuck = Vec::new();
        self.space.stuck_at(&self.next, &mut stuck);
        if self.known.insert(Signature::InvalidEnd(stuck)) {
            let path = self.path(None);
            self.found.push(Found {
                event: Event::InvalidEnd,
                path,
            });
        }
    }

    fn fault(&mut self, fault: Fault, last: Option<P::Move>) {
        self.stats.errors += 1;
        if self
            .known
            .insert(Signature::Fault(discriminant(&fault.kind), fault.span))
        {
            let path = self.path(last);
            self.found.push(Found {
                event: Event::Fault(fault),
                path,
            });
        }
    }

    /// All moves from the initial state to where the search is.
    fn path(&mut self, last: Option<P::Move>) -> Vec<P::Move> {
        let mut path = if self.parents {
            self.path_to_start()
        } else {
            Vec::new()
        };
        let ends = self
            .frames
            .iter()
            .skip(1)
            .map(|f| f.base as usize)
            .chain([self.moves.len()]);
        for (frame, end) in self.frames.iter().zip(ends) {
            if end > frame.base as usize {
                path.push(self.moves[end - 1]);
            }
        }
        path.extend(last);
        path
    }

    /// The moves from the initial state to the one the path starts at, along the parents.
    fn path_to_start(&mut self) -> Vec<P::Move> {
        let mut ids = Vec::new();
        let mut at = self.origin;
        while at != NOWHERE {
            ids.push(StateId::from_raw(at));
            let extra = self.store.extra(StateId::from_raw(at));
            let mut parent = [0; StateId::BYTES];
            parent.copy_from_slice(&extra[self.along..]);
            at = StateId::from_bytes(parent).raw();
        }
        let mut path = Vec::new();
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for pair in ids.windows(2).rev() {
            load(&self.store, pair[1], self.along, &mut from);
            load(&self.store, pair[0], self.along, &mut to);
            path.extend(connect(self.space, &from, &to));
        }
        path
    }

    fn stack_bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let moves = self.moves.capacity() * size_of::<P::Move>();
        (frames + moves + self.held.capacity()) as u64 + self.chains.bytes() + self.queue_bytes
    }

    fn tick(&mut self) {
        self.until_tick = TICK;
        let stack = self.stack_bytes();
        self.stats.stack_bytes = self.stats.stack_bytes.max(stack);
        let limit = self.settings.limits.memory;
        self.store.set_limit(limit.saturating_sub(stack));
        let progress = Progress {
            states: self.stats.stored,
            transitions: self.stats.transitions(),
            depth: self.depth(),
            bytes: stack + self.store.bytes(),
        };
        if self.stop.is_none() {
            let full = (progress.bytes > limit).then_some(Stop::Memory(limit));
            self.stop = full.or_else(|| self.monitor.tick(&progress));
        }
    }

    /// The strategy has nowhere to go any more.
    pub(super) fn finish(mut self) -> Outcome<P::Move> {
        self.stats.stack_bytes = self.stats.stack_bytes.max(self.stack_bytes());
        self.stats.store_bytes = self.store.bytes();
        let end = if !self.settings.all_errors && !self.found.is_empty() {
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
