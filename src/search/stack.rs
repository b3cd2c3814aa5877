//! The stack of a depth-first search that expands states in groups.
//!
//! It holds the states that *wait* to be expanded and, between them, those that have been and whose descendants are not
//! done: the *open* ones. A group of states that wait on top is opened at a time; each knows which state of the group below
//! it was reached from, so that the way to a state can be told. A state takes nine bytes.
//!
//! A stack can be split between two searches: the other one gets those states that wait lowest, side by side. To know the
//! way to them, both keep the open states below as their common *base*, which does not change any more: in neither search
//! will anything be done with them again. So states are moved at most once, however often a stack is split. The *place* of an
//! open state stays the same for as long as it is there, in the stack or in its base.

use crate::checkpoint::{In, Out, Persist, misfit, persist, save_list};
use crate::store::StateId;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Flag of a state: it is open.
const OPEN: u64 = 1 << StateId::BITS;

/// Flags beside a state: it is the undermost of its group; its search has acquired it. The other bits say
/// which state of the group below it was reached from.
const FIRST: u8 = 1 << 7;
const ACQUIRED: u8 = 1 << 6;
const INDEX: u8 = ACQUIRED - 1;

/// States, and what is noted beside them.
#[derive(Debug, Default)]
struct Entries {
    states: Vec<u64>,
    beside: Vec<u8>,
}

impl Entries {
    /// Where the topmost group of open states between two places begins.
    fn group_within(&self, range: Range<usize>) -> Option<usize> {
        let states = &self.states[range.clone()];
        let top = range.start + states.iter().rposition(|s| s & OPEN != 0)?;
        let beside = &self.beside[range.start..=top];
        Some(range.start + beside.iter().rposition(|b| b & FIRST != 0)?)
    }

    /// Adds the states on the way down from the open one at that place, itself included, as far as they lie above `floor`;
    /// says which state of the group below the last of them was reached from.
    fn follow_down(&self, mut at: usize, floor: usize, way: &mut Vec<StateId>) -> usize {
        loop {
            way.push(state_of(self.states[at]));
            let index = usize::from(self.beside[at] & INDEX);
            let own = self.group_within(floor..at + 1);
            match own.and_then(|start| self.group_within(floor..start)) {
                Some(below) => at = below + index,
                None => return index,
            }
        }
    }

    /// A copy of a part.
    fn part(&self, range: Range<usize>) -> Entries {
        Entries {
            states: self.states[range.clone()].to_vec(),
            beside: self.beside[range].to_vec(),
        }
    }

    fn bytes(&self) -> u64 {
        (self.states.capacity() * size_of::<u64>() + self.beside.capacity()) as u64
    }
}

/// Open states that several stacks have in common.
#[derive(Debug)]
struct Base {
    open: Entries,
    /// The place of the first.
    place: usize,
    below: Option<Arc<Base>>,
    /// Bytes and groups of it and what is below.
    bytes: u64,
    groups: u64,
}

impl Base {
    /// Open states, the first of which has that place, over those below.
    fn over(open: Entries, place: usize, below: Option<Arc<Base>>) -> Base {
        let groups = open.beside.iter().filter(|b| *b & FIRST != 0).count() as u64;
        let sum = |of: fn(&Base) -> u64| below.as_deref().map_or(0, of);
        Base {
            bytes: open.bytes() + sum(|base| base.bytes),
            groups: groups + sum(|base| base.groups),
            place,
            open,
            below,
        }
    }
}

impl Drop for Base {
    /// One after the other: there may be more than the thread's own stack can take.
    fn drop(&mut self) {
        let mut next = self.below.take();
        while let Some(mut base) = next.and_then(Arc::into_inner) {
            next = base.below.take();
        }
    }
}

/// States that are open or wait.
#[derive(Debug, Default)]
pub(super) struct Stack {
    base: Option<Arc<Base>>,
    entries: Entries,
    /// The place of the first entry.
    place: usize,
    /// Where the entries begin; what is before has been given away.
    begin: usize,
    /// No state waits below that entry.
    lowest: usize,
    /// How many wait.
    waiting: usize,
    /// How many groups are open: the depth of the topmost waiting state.
    depth: u64,
}

/// The topmost state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Top {
    pub(super) id: StateId,
    pub(super) open: bool,
    pub(super) acquired: bool,
}

fn state_of(entry: u64) -> StateId {
    StateId::new(entry & !OPEN)
}

impl Stack {
    /// Puts a state on top that waits and was reached from that state of the topmost open group.
    pub(super) fn push(&mut self, id: StateId, from: usize) {
        debug_assert!(from <= usize::from(INDEX));
        self.entries.states.push(id.raw());
        self.entries.beside.push(from as u8);
        self.waiting += 1;
    }

    /// The topmost state, which waits, is acquired.
    pub(super) fn acquire_top(&mut self) {
        if let Some(beside) = self.entries.beside.last_mut() {
            *beside |= ACQUIRED;
        }
    }

    /// Takes the topmost state away.
    pub(super) fn pop(&mut self) {
        if self.entries.states.len() == self.begin {
            return;
        }
        if let (Some(entry), Some(beside)) = (self.entries.states.pop(), self.entries.beside.pop())
        {
            match entry & OPEN {
                0 => self.waiting -= 1,
                _ => self.depth -= u64::from(beside & FIRST != 0),
            }
        }
        self.lowest = self.lowest.min(self.entries.states.len());
    }

    /// The topmost state. Those of the base do not count: nothing is to be done with them.
    pub(super) fn top(&self) -> Option<Top> {
        let entry = *self.entries.states[self.begin..].last()?;
        let beside = *self.entries.beside.last()?;
        Some(Top {
            id: state_of(entry),
            open: entry & OPEN != 0,
            acquired: beside & ACQUIRED != 0,
        })
    }

    /// How many groups are open.
    pub(super) fn depth(&self) -> u64 {
        self.depth
    }

    /// How many states wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Opens the topmost states, at most so many, all that wait on top of an open one; says where they begin.
    pub(super) fn open(&mut self, most: usize) -> usize {
        let Entries { states, beside } = &mut self.entries;
        let waiting = states[self.begin..].iter().rev();
        let count = waiting.take_while(|&s| s & OPEN == 0).take(most).count();
        let start = states.len() - count;
        for state in &mut states[start..] {
            *state |= OPEN;
        }
        beside[start] |= FIRST;
        self.waiting -= count;
        self.depth += 1;
        self.place + start
    }

    /// The states from that place on.
    pub(super) fn from(&self, place: usize) -> impl Iterator<Item = StateId> {
        let states = self.entries.states[place - self.place..].iter();
        states.map(|&s| state_of(s))
    }

    /// All states but those of the base, and whether each is open.
    pub(super) fn all(&self) -> impl Iterator<Item = (StateId, bool)> {
        let states = self.entries.states[self.begin..].iter();
        states.map(|&s| (state_of(s), s & OPEN != 0))
    }

    /// The states from the initial one to the open one at that place.
    pub(super) fn way_to(&self, place: usize) -> Vec<StateId> {
        let mut way = Vec::new();
        let mut index = None;
        if let Some(at) = place.checked_sub(self.place + self.begin) {
            index = Some(
                self.entries
                    .follow_down(self.begin + at, self.begin, &mut way),
            );
        }
        let mut base = self.base.as_ref();
        while let Some(lower) = base {
            let open = &lower.open;
            let at = match index {
                Some(index) => open.group_within(0..open.states.len()).map(|g| g + index),
                None => place.checked_sub(lower.place),
            };
            if let Some(at) = at {
                index = Some(open.follow_down(at, 0, &mut way));
            }
            base = lower.below.as_ref();
        }
        way.reverse();
        way
    }

    /// Whether a state is open; those of the base are not looked at.
    pub(super) fn is_open(&self, id: StateId) -> bool {
        let states = &self.entries.states[self.begin..];
        states.contains(&(id.raw() | OPEN))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.entries.bytes() + self.base.as_ref().map_or(0, |base| base.bytes)
    }
}

/// Splitting.
impl Stack {
    /// Gives away the states that wait lowest, or half of them if there are no others.
    pub(super) fn split(&mut self) -> Stack {
        let states = &self.entries.states;
        let waits = |s: &u64| s & OPEN == 0;
        let from = self.lowest.max(self.begin);
        let Some(first) = states[from..].iter().position(waits) else {
            return Stack::default();
        };
        let first = from + first;
        let run = states[first..].iter().take_while(|s| waits(s)).count();
        let count = match run == self.waiting {
            true => run / 2,
            false => run,
        };
        self.lower_to(first);
        let end = first + count;
        let given = Stack {
            base: self.base.clone(),
            entries: self.entries.part(first..end),
            place: self.place + first,
            waiting: count,
            depth: self.base.as_ref().map_or(0, |base| base.groups),
            ..Stack::default()
        };
        self.begin = end;
        self.lowest = end;
        self.waiting -= count;
        self.tidy();
        given
    }

    /// Moves the open states below that place to the base.
    fn lower_to(&mut self, place: usize) {
        if place == self.begin {
            return;
        }
        let open = self.entries.part(self.begin..place);
        let below = self.base.take();
        self.base = Some(Arc::new(Base::over(open, self.place + self.begin, below)));
    }

    /// Gives room back when most of it is what has been given away.
    fn tidy(&mut self) {
        if self.begin > self.entries.states.len() / 2 {
            self.entries.states.drain(..self.begin);
            self.entries.beside.drain(..self.begin);
            self.lowest -= self.begin;
            self.place += self.begin;
            self.begin = 0;
        }
    }
}

persist!(struct Entries { states, beside });

/// Checkpoints. A base is written once for all stacks that have it in common.
impl Persist for Stack {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        let mut new = Vec::new();
        let mut next = self.base.as_ref();
        let mut known = None;
        while let Some(base) = next {
            match out.number_of(Arc::as_ptr(base) as usize) {
                Ok(number) => {
                    known = Some(number);
                    break;
                }
                Err(number) => new.push((number, base)),
            }
            next = base.below.as_ref();
        }
        known.save(out)?;
        // Those on top got their numbers first.
        new.len().save(out)?;
        for (number, base) in new.into_iter().rev() {
            number.save(out)?;
            base.open.save(out)?;
            base.place.save(out)?;
        }
        save_list(&self.entries.states[self.begin..], out)?;
        save_list(&self.entries.beside[self.begin..], out)?;
        (self.place + self.begin).save(out)
    }

    fn load(input: &mut In) -> io::Result<Stack> {
        let known = Option::<u64>::load(input)?;
        let known = known.map(|number| input.kept::<Base>(number).ok_or_else(misfit));
        let mut base = known.transpose()?;
        for _ in 0..usize::load(input)? {
            let number = u64::load(input)?;
            let open = Entries::load(input)?;
            let place = usize::load(input)?;
            let next = Arc::new(Base::over(open, place, base));
            input.keep(number, Arc::clone(&next) as _);
            base = Some(next);
        }
        let entries = Entries::load(input)?;
        if entries.states.len() != entries.beside.len() {
            return Err(misfit());
        }
        let waiting = entries.states.iter().filter(|s| *s & OPEN == 0).count();
        let groups = entries.beside.iter().filter(|b| *b & FIRST != 0).count() as u64;
        Ok(Stack {
            depth: groups + base.as_ref().map_or(0, |base| base.groups),
            base,
            entries,
            place: usize::load(input)?,
            waiting,
            ..Stack::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(raw: u64) -> StateId {
        StateId::new(raw)
    }

    /// Three groups: 1; 2 and 3; of 3's children 4, 5, 6 the last is open and has 7 and 8.
    fn example() -> Stack {
        let mut stack = Stack::default();
        stack.push(id(1), 0);
        assert_eq!(stack.open(8), 0);
        stack.push(id(2), 0);
        stack.push(id(3), 0);
        assert_eq!(stack.open(8), 1);
        for (child, from) in [(4, 1), (5, 0), (6, 1)] {
            stack.push(id(child), from);
        }
        assert_eq!(stack.open(1), 5);
        stack.push(id(7), 0);
        stack.push(id(8), 0);
        stack.acquire_top();
        stack
    }

    #[test]
    fn the_way_leads_over_the_state_that_each_was_reached_from() {
        let mut stack = example();
        let at = stack.open(1);
        assert_eq!(stack.way_to(at), [1, 3, 6, 8].map(id));
        assert_eq!(stack.depth(), 4);
        assert!(stack.top().is_some_and(|top| top.open && top.acquired));
    }

    fn pop_all(stack: &mut Stack) -> Vec<u64> {
        std::iter::from_fn(|| {
            let top = stack.top();
            stack.pop();
            top.map(|top| top.id.raw())
        })
        .collect()
    }

    #[test]
    fn both_parts_know_the_way() {
        let mut stack = example();
        let mut given = stack.split();
        // Open states keep their places.
        assert_eq!(stack.way_to(2), [1, 3].map(id));
        assert_eq!(stack.way_to(5), [1, 3, 6].map(id));
        assert_eq!(given.way_to(1), [1, 2].map(id));
        assert_eq!((stack.waiting(), given.waiting()), (2, 2));
        assert_eq!((stack.depth(), given.depth()), (3, 2));
        let at = given.open(1);
        assert_eq!(given.way_to(at), [1, 2, 5].map(id));
        given.pop();
        let at = given.open(1);
        assert_eq!(given.way_to(at), [1, 3, 4].map(id));
        given.push(id(9), 0);
        given.push(id(10), 0);
        // Half of the only ones that wait, again and again.
        let mut again = given.split();
        let at = again.open(8);
        assert_eq!(again.way_to(at), [1, 3, 4, 9].map(id));
        let at = given.open(8);
        assert_eq!(given.way_to(at), [1, 3, 4, 10].map(id));
        let at = stack.open(2);
        assert_eq!(stack.way_to(at), [1, 3, 6, 7].map(id));
        // 6 was not below what was given away, so it is still to be left.
        assert_eq!(pop_all(&mut stack), [8, 7, 6]);
        assert_eq!(stack.waiting(), 0);
        assert_eq!(pop_all(&mut given), [10]);
        assert!(stack.top().is_none());
    }

    /// Thousands of splits leave as many bases, which are dropped without recursion.
    #[test]
    fn a_long_base_is_dropped() {
        let mut stack = Stack::default();
        stack.push(id(1), 0);
        for round in 0..200_000u64 {
            stack.open(1);
            stack.push(id(round + 2), 0);
            stack.push(id(round + 2), 0);
            assert_eq!(stack.split().waiting(), 1);
        }
        let at = stack.open(1);
        assert_eq!(stack.way_to(at).len(), 200_001);
    }
}
