//! The path of a strict depth-first search: where it is, what is left to do on the way back.
//!
//! The path is a stack of small frames. A frame names its state by its place in the store, so a deep stack
//! does not hold state vectors; only inner states of `atomic` sequences, which are not stored, keep their bytes
//! in `held`. The moves that a frame has still to make lie in `moves`, all frames' in one vector, next one
//! last. While a frame is not the topmost, the last of its moves is the one being explored: the current path
//! can be read off the stack, and a frame that has nothing left to do is dropped without looking at its state
//! again.

use super::chain::Chains;
use super::ledger::Ledger;
use super::{Outcome, Settings};
use crate::limits::Monitor;
use crate::machine::{Fault, Pid};
use crate::space::{Space, split};
use crate::store::{ExactStore, Notes, StateId};
use std::mem::swap;

/// A state on the current path.
#[derive(Copy, Clone)]
struct Frame {
    /// Place of the state (in the store, or of its bytes in `held`), and a flag in the uppermost bit.
    place: u64,
    /// Where its moves begin.
    base: u32,
    /// Number of atomic steps since the last stored state; 0 for a stored state.
    inner: u32,
}

const TIMEOUT: u64 = 1 << 63;
const PLACE: u64 = !TIMEOUT;

/// Where a move led.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// A stored state that was not there before. It is to be entered next.
    New(StateId),
    /// An inner state of an `atomic` sequence, which has been entered.
    Inner,
    /// Nothing to follow: a state already stored, a failed move, no room.
    Nothing,
}

pub(super) struct Walk<'a, P: Space> {
    space: &'a mut P,
    store: ExactStore,
    ledger: Ledger<'a, P::Move>,
    frames: Vec<Frame>,
    moves: Vec<P::Move>,
    held: Vec<u8>,
    /// State of the topmost frame, while it has moves left.
    state: Vec<u8>,
    next: Vec<u8>,
    scratch: Vec<P::Move>,
    chains: Chains,
}

impl<'a, P: Space> Walk<'a, P> {
    /// Starts at the initial state, which is stored but not entered.
    pub(super) fn start(
        space: &'a mut P,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
    ) -> (Walk<'a, P>, Option<StateId>) {
        let mut next = Vec::new();
        let started = space.initial(&mut next);
        let along = if started.is_ok() {
            split(space, &next).1.len()
        } else {
            0
        };
        let mut walk = Walk {
            space,
            store: settings.store(Notes::None, along),
            ledger: Ledger::new(settings, monitor),
            frames: Vec::new(),
            moves: Vec::new(),
            held: Vec::new(),
            state: Vec::new(),
            next,
            scratch: Vec::new(),
            chains: Chains::default(),
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

    /// Makes the next move, if there is one.
    pub(super) fn next(&mut self) -> Option<Reached> {
        loop {
            if self.ledger.stopped() {
                return None;
            }
            let frame = self.frames.last()?;
            if self.moves.len() > frame.base as usize {
                break;
            }
            self.leave();
        }
        if self.ledger.due() {
            let (bytes, depth) = (self.bytes(), self.depth());
            self.ledger.tick(&mut self.store, bytes, depth);
        }
        let reached = self.make_move();
        if reached == Reached::Nothing {
            self.moves.pop();
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
                    Some(step) if self.ledger.settings.all_errors => step,
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
        match self.space.settle(&mut self.next) {
            Ok(true) => {}
            Ok(false) => return Reached::Nothing,
            Err(fault) => {
                self.fault(fault, None);
                return Reached::Nothing;
            }
        }
        self.insert().map_or(Reached::Nothing, Reached::New)
    }

    fn insert(&mut self) -> Option<StateId> {
        let (key, along) = split(self.space, &self.next);
        let answer = self.store.insert(key, along, 0);
        self.ledger.arrival(answer, key.len())
    }

    /// `next` is a state in which `pid` has control: go on from it without storing it, if `pid` can go on.
    fn pass(&mut self, from: Frame, pid: Pid) -> Reached {
        self.ledger.stats.atomic_steps += 1;
        self.scratch.clear();
        let timeout = match self.space.moves(&self.next, Some(pid), &mut self.scratch) {
            Ok(info) if info.control_lost || self.scratch.is_empty() => return self.arrive(),
            Ok(info) => info.timeout,
            Err((mv, fault)) => {
                self.fault(fault, Some(mv));
                false
            }
        };
        let start = self.frames.len() - 1 - from.inner as usize;
        if !self.chains.follow(start, from.inner + 1, &self.next, pid) {
            self.ledger.stats.atomic_repeats += 1;
            return Reached::Nothing;
        }
        if self.too_deep() {
            return Reached::Nothing;
        }
        let place = self.held.len() as u64;
        self.held.extend_from_slice(&self.next);
        self.push(place, timeout, from.inner + 1);
        Reached::Inner
    }

    /// Enters the state just reached as `New`, unless it lies too deep.
    pub(super) fn enter(&mut self, id: StateId) {
        if self.too_deep() {
            self.moves.pop();
            return;
        }
        self.chains.progress();
        self.scratch.clear();
        let timeout = match self.space.moves(&self.next, None, &mut self.scratch) {
            Ok(info) => {
                if self.scratch.is_empty() {
                    self.check_end();
                }
                info.timeout
            }
            Err((mv, fault)) => {
                self.fault(fault, Some(mv));
                false
            }
        };
        self.push(id.raw(), timeout, 0);
    }

    /// Pushes a frame for the state in `next` with the moves in `scratch`.
    fn push(&mut self, place: u64, timeout: bool, inner: u32) {
        let base = self.moves.len();
        if base + self.scratch.len() > u32::MAX as usize {
            self.ledger.full();
            return;
        }
        self.moves.extend(self.scratch.iter().rev());
        let timeout = if timeout { TIMEOUT } else { 0 };
        self.frames.push(Frame {
            place: place | timeout,
            base: base as u32,
            inner,
        });
        self.ledger.stats.depth = self.ledger.stats.depth.max(self.depth());
        swap(&mut self.state, &mut self.next);
    }

    fn depth(&self) -> u64 {
        (self.frames.len() as u64).saturating_sub(1)
    }

    fn too_deep(&mut self) -> bool {
        let deep = !self.frames.is_empty() && self.depth() >= self.ledger.settings.limits.depth;
        if deep {
            self.ledger.cut();
        }
        deep
    }

    /// The topmost frame is done: take back the move that led to it, and fetch the state below if there is more
    /// to do in it.
    fn leave(&mut self) {
        let Some(done) = self.frames.pop() else {
            return;
        };
        if done.inner > 0 {
            self.held.truncate((done.place & PLACE) as usize);
        }
        self.chains.left(self.frames.len());
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
            let id = StateId::new(frame.place & PLACE);
            self.store.load(id, &mut self.state);
        }
    }

    fn check_end(&mut self) {
        if !self.ledger.settings.end_states {
            return;
        }
        if let Some(stuck) = self.space.stuck_at(&self.next) {
            let Walk {
                ledger,
                frames,
                moves,
                ..
            } = self;
            ledger.invalid_end(stuck, || path(frames, moves).collect());
        }
    }

    fn fault(&mut self, fault: Fault, last: Option<P::Move>) {
        let Walk {
            ledger,
            frames,
            moves,
            ..
        } = self;
        ledger.fault(fault, || path(frames, moves).chain(last).collect());
    }

    fn bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let moves = self.moves.capacity() * size_of::<P::Move>();
        (frames + moves + self.held.capacity()) as u64 + self.chains.bytes()
    }

    /// There is nowhere to go any more.
    pub(super) fn finish(self) -> Outcome<P::Move> {
        let bytes = self.bytes();
        self.ledger.close(&self.store, bytes)
    }
}

/// The moves being explored, from the initial state on.
fn path<'m, M: Copy>(frames: &'m [Frame], moves: &'m [M]) -> impl Iterator<Item = M> + 'm {
    let ends = frames
        .iter()
        .skip(1)
        .map(|f| f.base as usize)
        .chain([moves.len()]);
    let current = frames
        .iter()
        .zip(ends)
        .filter(|(f, end)| *end > f.base as usize);
    current.map(|(_, end)| moves[end - 1])
}
