//! The path of a lossy search and what waits beside it.
//!
//! Bytes of states, moves, and states that wait to be entered are each one vector that grows and shrinks with the path. A
//! frame remembers how long they were when its state was entered; leaving the state cuts them back.
//!
//! A stack can be split between two searches: the other one gets those states that wait lowest, which all wait beside one
//! state. Neither search will do anything again with that state and those below it; only the moves to it are still needed,
//! to tell the way to what is found later. They become the common *base* of both. So every move is copied at most once,
//! however often a stack is split. The lower part of the stack stays where it is until all of it is done.

use super::steps::{Steps, Successor};
use crate::space::AmpleSets;
use crate::store::Fingerprint;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// No link before this one.
pub(super) const FIRST: u32 = u32::MAX;

/// A move, and the link of the move before it in the same `atomic` sequence.
#[derive(Copy, Clone, Debug)]
pub(super) struct Link<M> {
    pub(super) before: u32,
    pub(super) mv: M,
}

/// A state that waits to be entered. Its bytes are the last ones of the stack when its turn comes.
#[derive(Copy, Clone, Debug)]
pub(super) struct Waiting {
    pub(super) fingerprint: Fingerprint,
    at: usize,
    link: u32,
}

/// A state on the path.
#[derive(Copy, Clone, Debug)]
pub(super) struct Frame {
    pub(super) fingerprint: Fingerprint,
    at: usize,
    len: u32,
    /// The last move of the step to this state.
    link: u32,
    links: u32,
    waiting: u32,
    /// How many states the path has up to the last accepting one.
    pub(super) accepting: u32,
}

impl Frame {
    fn end(&self) -> usize {
        self.at + self.len as usize
    }
}

/// The way to a state, which several stacks have in common.
#[derive(Debug)]
struct Base<M> {
    /// The last moves of it.
    moves: Vec<M>,
    below: Option<Arc<Base<M>>>,
    /// How many states there are on the way.
    depth: u64,
    /// Bytes of it and what is below.
    bytes: u64,
}

impl<M> Drop for Base<M> {
    /// One after the other: there may be more than the thread's own stack can take.
    fn drop(&mut self) {
        let mut next = self.below.take();
        while let Some(mut base) = next.and_then(Arc::into_inner) {
            next = base.below.take();
        }
    }
}

#[derive(Debug)]
pub(super) struct Stack<M> {
    base: Option<Arc<Base<M>>>,
    /// How many states of the path belong to the base as well, and how many of those that wait have been given away.
    done: usize,
    given: usize,
    pub(super) path: Vec<Frame>,
    bytes: Vec<u8>,
    links: Vec<Link<M>>,
    waiting: Vec<Waiting>,
    /// Where states are on the path, computed on demand.
    places: Option<FxHashMap<Fingerprint, u32>>,
}

impl<M: Copy> Stack<M> {
    /// An empty path; `known` when it is to be known which states lie on it.
    pub(super) fn new(known: bool) -> Stack<M> {
        Stack {
            base: None,
            done: 0,
            given: 0,
            path: Vec::new(),
            bytes: Vec::new(),
            links: Vec::new(),
            waiting: Vec::new(),
            places: known.then(FxHashMap::default),
        }
    }

    /// Lets the initial state wait.
    pub(super) fn start(&mut self, state: &[u8], fingerprint: Fingerprint) {
        self.waiting.push(Waiting {
            fingerprint,
            at: 0,
            link: FIRST,
        });
        self.bytes.extend_from_slice(state);
    }

    /// Whether there is nothing to do. With the states of the base nothing is to be done any more.
    pub(super) fn is_idle(&self) -> bool {
        self.path.len() == self.done && self.waiting.len() == self.given
    }

    /// The number of states on the way to the topmost one, itself included.
    pub(super) fn depth(&self) -> u64 {
        let below = self.base.as_ref().map_or(0, |base| base.depth);
        below + (self.path.len() - self.done) as u64
    }

    /// The state whose turn it is among those that wait beside the topmost one.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        let beside = self.path.last().map_or(0, |top| top.waiting as usize);
        match self.waiting.len() > beside.max(self.given) {
            true => self.waiting.pop(),
            false => None,
        }
    }

    /// A state that had its turn is not entered.
    pub(super) fn drop(&mut self, waiting: Waiting) {
        self.bytes.truncate(waiting.at);
    }

    /// Enters a state that had its turn, and writes it to `out`. On a path that is `known`, only states of the `outer`
    /// search count.
    pub(super) fn enter(&mut self, waiting: Waiting, outer: bool, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.bytes[waiting.at..]);
        if let Some(places) = self.places.as_mut().filter(|_| outer) {
            places.insert(waiting.fingerprint, self.path.len() as u32);
        }
        self.path.push(Frame {
            fingerprint: waiting.fingerprint,
            at: waiting.at,
            len: out.len() as u32,
            link: waiting.link,
            links: self.links.len() as u32,
            waiting: self.waiting.len() as u32,
            accepting: self.path.last().map_or(0, |top| top.accepting),
        });
    }

    /// Notes that the topmost state is accepting.
    pub(super) fn accept(&mut self) {
        let depth = self.path.len() as u32;
        if let Some(top) = self.path.last_mut() {
            top.accepting = depth;
        }
    }

    /// Writes the topmost state to `out`.
    pub(super) fn top(&self, out: &mut Vec<u8>) {
        out.clear();
        if let Some(top) = self.path.last() {
            out.extend_from_slice(&self.bytes[top.at..top.end()]);
        }
    }

    /// Leaves the topmost state for good, with all that waits beside it.
    pub(super) fn leave(&mut self, outer: bool) {
        let Some(top) = self.path.pop() else { return };
        if let Some(places) = self.places.as_mut().filter(|_| outer) {
            places.remove(&top.fingerprint);
        }
        self.bytes.truncate(top.at);
        self.links.truncate(top.links as usize);
        self.waiting.truncate(top.waiting as usize);
    }

    /// Back to a path of that length, with nothing beside its topmost state.
    pub(super) fn cut_to(&mut self, len: usize) {
        while self.path.len() > len {
            self.leave(false);
        }
        if let Some(top) = self.path.last() {
            self.bytes.truncate(top.end());
            self.links.truncate(top.links as usize);
            self.waiting.truncate(top.waiting as usize);
        }
    }

    /// The place of that state on the path, if it is there.
    pub(super) fn place(&self, fingerprint: Fingerprint) -> Option<usize> {
        let places = self.places.as_ref()?;
        places.get(&fingerprint).map(|&depth| depth as usize)
    }

    /// The bytes of the state at a place of the path.
    pub(super) fn state(&self, place: usize) -> &[u8] {
        let frame = &self.path[place];
        &self.bytes[frame.at..frame.end()]
    }

    /// Lets successors of the topmost state wait, the first one to be entered first; false when there are more than can be
    /// counted.
    pub(super) fn wait<P>(&mut self, steps: &Steps<P>, chosen: &[Successor]) -> bool
    where
        P: AmpleSets<Move = M>,
    {
        let most = steps.links().len().max(chosen.len());
        if self.links.len().max(self.waiting.len()) + most >= u32::MAX as usize {
            return false;
        }
        let base = self.links.len() as u32;
        let chained = chosen
            .iter()
            .any(|made| steps.link(made.link).before != FIRST);
        if chained {
            let shifted = steps.links().iter().map(|link| Link {
                before: match link.before {
                    FIRST => FIRST,
                    before => before + base,
                },
                ..*link
            });
            self.links.extend(shifted);
        }
        for made in chosen.iter().rev() {
            let link = if chained {
                base + made.link
            } else {
                self.links.push(steps.link(made.link));
                self.links.len() as u32 - 1
            };
            self.waiting.push(Waiting {
                fingerprint: made.fingerprint,
                at: self.bytes.len(),
                link,
            });
            self.bytes.extend_from_slice(steps.state(made));
        }
        true
    }

    /// The moves to the state at a place of the path.
    pub(super) fn moves_to(&self, place: usize) -> Vec<M> {
        let mut parts = Vec::new();
        let mut base = self.base.as_ref();
        while let Some(part) = base {
            parts.push(&part.moves);
            base = part.below.as_ref();
        }
        let mut moves: Vec<M> = parts.into_iter().rev().flatten().copied().collect();
        self.append(self.done..place + 1, &mut moves);
        moves
    }

    /// Appends the moves to some states of the path, each from the one before.
    fn append(&self, places: Range<usize>, moves: &mut Vec<M>) {
        for frame in &self.path[places] {
            chain(&self.links, frame.link, moves);
        }
    }

    /// All moves to the topmost state.
    pub(super) fn moves(&self) -> Vec<M> {
        match self.path.len() {
            0 => Vec::new(),
            len => self.moves_to(len - 1),
        }
    }

    /// Bytes in use.
    pub(super) fn size(&self) -> u64 {
        let known = self.places.as_ref().map_or(0, FxHashMap::capacity);
        let vectors = self.path.capacity() * size_of::<Frame>()
            + self.bytes.capacity()
            + self.links.capacity() * size_of::<Link<M>>()
            + self.waiting.capacity() * size_of::<Waiting>()
            + known * (size_of::<(Fingerprint, u32)>() + 1);
        vectors as u64 + self.base.as_ref().map_or(0, |base| base.bytes)
    }
}

/// Splitting.
impl<M: Copy> Stack<M> {
    /// How many states wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len() - self.given
    }

    /// Gives away the states that wait lowest, or half of them if there are no others. At least two must wait, and nobody may
    /// ask what lies on the path.
    pub(super) fn split(&mut self) -> Stack<M> {
        debug_assert!(self.waiting() > 1 && self.places.is_none());
        let first = self.given;
        let below = |frame: &Frame| frame.waiting as usize <= first;
        // What lies above the state that they wait beside.
        let above = self.path.partition_point(below);
        let end = match self.path.get(above) {
            Some(frame) => frame.waiting as usize,
            None => first + self.waiting() / 2,
        };
        let end_of_bytes = match self.path.get(above) {
            Some(frame) => frame.at,
            None => self.waiting[end].at,
        };
        self.lower_to(above);
        self.given = end;
        let bytes = self.waiting[first].at..end_of_bytes;
        let mut given = Stack {
            base: self.base.clone(),
            bytes: self.bytes[bytes.clone()].to_vec(),
            ..Stack::new(false)
        };
        let mut moves = Vec::new();
        for waiting in &self.waiting[first..end] {
            moves.clear();
            chain(&self.links, waiting.link, &mut moves);
            let mut link = FIRST;
            for &mv in &moves {
                given.links.push(Link { before: link, mv });
                link = given.links.len() as u32 - 1;
            }
            given.waiting.push(Waiting {
                at: waiting.at - bytes.start,
                link,
                ..*waiting
            });
        }
        given
    }

    /// Lets the states of the path up to that place belong to the base.
    fn lower_to(&mut self, place: usize) {
        if place == self.done {
            return;
        }
        let mut moves = Vec::new();
        self.append(self.done..place, &mut moves);
        let below = self.base.take();
        let sum = |of: fn(&Base<M>) -> u64| below.as_deref().map_or(0, of);
        self.base = Some(Arc::new(Base {
            depth: (place - self.done) as u64 + sum(|base| base.depth),
            bytes: (moves.capacity() * size_of::<M>()) as u64 + sum(|base| base.bytes),
            moves,
            below,
        }));
        self.done = place;
    }
}

/// Appends the moves of an `atomic` sequence, given by its last one.
pub(super) fn chain<M: Copy>(links: &[Link<M>], mut link: u32, out: &mut Vec<M>) {
    let start = out.len();
    while link != FIRST {
        let this = links[link as usize];
        out.push(this.mv);
        link = this.before;
    }
    out[start..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets states of one byte wait, each reached by the move of its name.
    fn wait(stack: &mut Stack<u8>, states: &[u8]) {
        for &state in states {
            stack.links.push(Link {
                before: FIRST,
                mv: state,
            });
            stack.waiting.push(Waiting {
                fingerprint: Fingerprint::of(&[state]),
                at: stack.bytes.len(),
                link: stack.links.len() as u32 - 1,
            });
            stack.bytes.push(state);
        }
    }

    /// Enters the state whose turn it is: the way to it, if there is one.
    fn enter(stack: &mut Stack<u8>) -> Option<Vec<u8>> {
        let mut state = Vec::new();
        while !stack.is_idle() {
            if let Some(waiting) = stack.next() {
                stack.enter(waiting, true, &mut state);
                assert_eq!(stack.moves().last(), state.first());
                assert_eq!(stack.depth(), stack.moves().len() as u64);
                return Some(stack.moves());
            }
            stack.leave(true);
        }
        None
    }

    /// 1 has 2, 3 and 4; 4 has 5, 6 and 7.
    fn example() -> Stack<u8> {
        let mut stack = Stack::new(false);
        wait(&mut stack, &[1]);
        enter(&mut stack);
        wait(&mut stack, &[2, 3, 4]);
        assert_eq!(enter(&mut stack), Some(vec![1, 4]));
        wait(&mut stack, &[5, 6, 7]);
        stack
    }

    fn enter_all(stack: &mut Stack<u8>) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| enter(stack)).collect()
    }

    #[test]
    fn both_parts_know_the_way() {
        let mut stack = example();
        let mut given = stack.split();
        assert_eq!((stack.waiting(), given.waiting()), (3, 2));
        // Half of the only ones that wait.
        let mut again = stack.split();
        assert_eq!(enter(&mut again), Some(vec![1, 4, 5]));
        wait(&mut again, &[8, 9]);
        let mut last = again.split();
        assert_eq!(enter_all(&mut last), [[1, 4, 5, 8]]);
        assert_eq!(enter_all(&mut again), [[1, 4, 5, 9]]);
        assert_eq!(enter_all(&mut stack), [[1, 4, 7], [1, 4, 6]]);
        assert_eq!(enter_all(&mut given), [[1, 3], [1, 2]]);
    }

    /// Thousands of splits leave as many bases, which are dropped without recursion.
    #[test]
    fn a_long_base_is_dropped() {
        let mut stack = Stack::new(false);
        wait(&mut stack, &[1]);
        for _ in 0..200_000 {
            let waiting = stack.next().unwrap();
            stack.enter(waiting, true, &mut Vec::new());
            wait(&mut stack, &[2, 3]);
            assert_eq!(stack.split().waiting(), 1);
        }
        assert_eq!(stack.moves().len(), 200_000);
    }
}
