//! The steps of a state: one move, or a whole `atomic` sequence.
//!
//! The inner states of an `atomic` sequence are not stored. They are walked through here, depth first, from the move that
//! begins the sequence to all its ends; who asked for the step is told of each end, as of the end of a single move. This is the
//! one place where searches that expand stored states follow a process that has control; only the strict depth-first search,
//! which enters inner states like others, does it itself ([`super::walk`]). Limits are looked at inside a sequence as well: it
//! may be long, or never end (see [`super::chain`]).

use crate::machine::{Fault, Pid};
use crate::space::Space;

/// What becomes of steps.
pub(crate) trait Visitor<P: Space> {
    /// What is kept with each inner state of the sequence being walked through.
    type Mark: Copy;

    /// A move has been made, from the state that is expanded or from an inner one with that mark: the mark of where it leads.
    fn mark(&mut self, before: Option<Self::Mark>, mv: P::Move) -> Self::Mark;

    /// A process has control after a move. Now and then the limits are looked at: a sequence may be long, or never end. `held`
    /// says how many bytes its inner states take.
    fn control_kept(&mut self, held: impl FnOnce() -> u64);

    /// Whether to go on from an inner state, in which a process has control and can move.
    fn follow(&mut self, state: &[u8], pid: Pid, way: &Way<'_, P::Move>) -> bool;

    /// A step has led to a state in which nobody has control.
    fn arrive(
        &mut self,
        space: &mut P,
        state: &mut Vec<u8>,
        way: &Way<'_, P::Move>,
        mark: Self::Mark,
    );

    /// The last move of the way fails.
    fn fault(&mut self, space: &mut P, fault: Fault, way: &Way<'_, P::Move>);

    /// Whether to go on past a move that fails and has a successor nevertheless.
    fn goes_on(&self) -> bool;

    /// Whether nothing more is wanted.
    fn stopped(&self) -> bool;
}

/// An inner state. Its bytes are in `held`, its moves in `moves`, next one last; the last of the moves of one that is not the
/// topmost is the one being explored.
struct Inner {
    held: usize,
    moves: usize,
    timeout: bool,
}

/// The moves of a step up to the one being made.
pub(crate) struct Way<'w, M> {
    first: M,
    inner: &'w [Inner],
    moves: &'w [M],
    /// A move after these, which fails when it is listed.
    last: Option<M>,
}

impl<'w, M: Copy> Way<'w, M> {
    fn single(first: M) -> Way<'w, M> {
        Way {
            first,
            inner: &[],
            moves: &[],
            last: None,
        }
    }

    /// The move that begins the step.
    pub(crate) fn first(&self) -> M {
        self.first
    }

    /// How many inner states it leads through.
    pub(crate) fn inner_states(&self) -> usize {
        self.inner.len()
    }

    /// All moves.
    pub(crate) fn moves(&self) -> impl Iterator<Item = M> {
        let ends = self.inner.iter().skip(1).map(|inner| inner.moves);
        let ends = ends.chain([self.moves.len()]);
        let ranges = self.inner.iter().map(|inner| inner.moves).zip(ends);
        let current = ranges.filter(|(start, end)| end > start);
        let current = current.map(|(_, end)| self.moves[end - 1]);
        [self.first].into_iter().chain(current).chain(self.last)
    }
}

/// Makes steps. Its vectors are kept from one to the next.
pub(crate) struct Stepper<M, K> {
    next: Vec<u8>,
    listed: Vec<M>,
    inner: Vec<Inner>,
    /// One for each of `inner`.
    marks: Vec<K>,
    held: Vec<u8>,
    moves: Vec<M>,
}

impl<M, K> Default for Stepper<M, K> {
    fn default() -> Stepper<M, K> {
        Stepper {
            next: Vec::new(),
            listed: Vec::new(),
            inner: Vec::new(),
            marks: Vec::new(),
            held: Vec::new(),
            moves: Vec::new(),
        }
    }
}

impl<M: Copy, K: Copy> Stepper<M, K> {
    /// Makes the steps of a state that begin with a move.
    #[inline]
    pub(crate) fn make<P: Space<Move = M>, V: Visitor<P, Mark = K>>(
        &mut self,
        space: &mut P,
        (state, timeout): (&[u8], bool),
        mv: M,
        visitor: &mut V,
    ) {
        let step = match space.apply(state, mv, timeout, &mut self.next) {
            Ok(step) => step,
            Err(failure) => {
                visitor.fault(space, failure.fault, &Way::single(mv));
                match failure.step {
                    Some(step) if visitor.goes_on() => step,
                    _ => return,
                }
            }
        };
        let mark = visitor.mark(None, mv);
        match step.control {
            None => visitor.arrive(space, &mut self.next, &Way::single(mv), mark),
            Some(pid) => self.walk_through(space, mv, (pid, mark), visitor),
        }
    }

    /// Follows an `atomic` sequence that begins with `first`, after which `next` is the state and the process has control, to
    /// all its ends.
    fn walk_through<P: Space<Move = M>, V: Visitor<P, Mark = K>>(
        &mut self,
        space: &mut P,
        first: M,
        (pid, mark): (Pid, K),
        visitor: &mut V,
    ) {
        self.pass(space, first, (pid, mark), visitor);
        while let (Some(top), Some(&before)) = (self.inner.last(), self.marks.last()) {
            if self.moves.len() == top.moves || visitor.stopped() {
                self.moves.truncate(top.moves);
                self.held.truncate(top.held);
                self.inner.pop();
                self.marks.pop();
                if !self.inner.is_empty() {
                    self.moves.pop();
                }
                continue;
            }
            let mv = self.moves[self.moves.len() - 1];
            let depth = self.inner.len();
            let state = &self.held[top.held..];
            let step = match space.apply(state, mv, top.timeout, &mut self.next) {
                Ok(step) => Some(step),
                Err(failure) => {
                    visitor.fault(space, failure.fault, &self.way(first, None).0);
                    failure.step.filter(|_| visitor.goes_on())
                }
            };
            if let Some(step) = step {
                let mark = visitor.mark(Some(before), mv);
                match step.control {
                    None => self.arrive(space, first, mark, visitor),
                    Some(pid) => self.pass(space, first, (pid, mark), visitor),
                }
            }
            if self.inner.len() == depth {
                self.moves.pop();
            }
        }
    }

    /// `next` is a state in which a process has control: it becomes an inner state if the process can go on.
    fn pass<P: Space<Move = M>, V: Visitor<P, Mark = K>>(
        &mut self,
        space: &mut P,
        first: M,
        (pid, mark): (Pid, K),
        visitor: &mut V,
    ) {
        visitor.control_kept(|| self.bytes());
        self.listed.clear();
        let timeout = match space.moves(&self.next, Some(pid), &mut self.listed) {
            Ok(info) if info.control_lost || self.listed.is_empty() => {
                return self.arrive(space, first, mark, visitor);
            }
            Ok(info) => info.timeout,
            Err((mv, fault)) => {
                visitor.fault(space, fault, &self.way(first, Some(mv)).0);
                false
            }
        };
        let (way, next) = self.way(first, None);
        if !visitor.follow(next, pid, &way) {
            return;
        }
        self.inner.push(Inner {
            held: self.held.len(),
            moves: self.moves.len(),
            timeout,
        });
        self.marks.push(mark);
        self.held.extend_from_slice(&self.next);
        self.moves.extend(self.listed.iter().rev());
    }

    fn arrive<P: Space<Move = M>, V: Visitor<P, Mark = K>>(
        &mut self,
        space: &mut P,
        first: M,
        mark: K,
        visitor: &mut V,
    ) {
        let (way, next) = self.way(first, None);
        visitor.arrive(space, next, &way, mark);
    }

    /// The moves made so far, and where they lead.
    fn way(&mut self, first: M, last: Option<M>) -> (Way<'_, M>, &mut Vec<u8>) {
        let way = Way {
            first,
            inner: &self.inner,
            moves: &self.moves,
            last,
        };
        (way, &mut self.next)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let moves = (self.moves.capacity() + self.listed.capacity()) * size_of::<M>();
        let inner = self.inner.capacity() * (size_of::<Inner>() + size_of::<K>());
        (moves + inner + self.held.capacity() + self.next.capacity()) as u64
    }
}
