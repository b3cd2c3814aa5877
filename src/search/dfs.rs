//! Depth first: expand the youngest states.
//!
//! The stack holds the states that wait to be expanded and, between them, those that have been and whose
//! descendants are not done: the open states. It is on the heap, nine bytes a state, and there is no bound on its depth
//! but memory.
//!
//! A state is marked as visited when it is first reached, not when it is entered as in the textbook; for
//! finding violations of safety this makes no difference, and it lets the successors of a state be stored
//! together, which is much faster. For the same reason several states that wait for their turn are expanded together, a
//! *group*: successors of the group before. Each knows which state of that group it was reached from, so that the way to
//! a state can be told. Searches that depend on the textbook order use [`strict`](super::strict).
//!
//! With a reduction there is one state to a group, and ample moves suffice if one of them leads to a state that is not open.
//! Such a state is left before the one at hand is (it has been already, or it is entered from here), so nothing is put off
//! forever: going from state to state in the order in which they are left ends in one that was expanded fully. To know which
//! states are open, each has a mark; and where only ample moves are made, a state that still waits further down the stack is
//! entered from here, as in the textbook. Where all moves are made nothing is put off, and it may go on waiting: else the
//! stack would fill up with states that it holds already.
//!
//! Marks cost time, since leaving a state means to touch it once more. Until the first ample set turns up nobody asks for
//! them, and they are not kept: what they would be is then told by the stack. So a model in which there is nothing to
//! reduce is spared them altogether.

use super::expand::{Decision, Expander, Extent, Tail};
use super::{Outcome, Settings, Space};
use crate::limits::Monitor;
use crate::store::{ExactStore, Insert, StateId};
use smallvec::SmallVec;
use std::cell::Cell;

/// Most states of a group.
const GROUP: usize = 8;

/// Flag of a state on the stack: it has been expanded.
const OPEN: u64 = 1 << StateId::BITS;

/// Flag beside a state on the stack: it is the undermost of its group. The other bits say which state of the group below it
/// was reached from.
const FIRST: u8 = 1 << 7;

/// States that are open or wait.
#[derive(Default)]
struct Stack {
    states: Vec<u64>,
    from: Vec<u8>,
}

impl Stack {
    fn push(&mut self, id: StateId, from: usize) {
        self.states.push(id.raw());
        self.from.push(from as u8);
    }

    fn pop(&mut self) {
        self.states.pop();
        self.from.pop();
    }

    /// The topmost state, and whether it is open.
    fn top(&self) -> Option<(StateId, bool)> {
        let &top = self.states.last()?;
        Some((state_of(top), top & OPEN != 0))
    }

    /// Opens the topmost states, at most so many, all that wait on top of an open one; says where they begin.
    fn open(&mut self, most: usize) -> usize {
        let waiting = self.states.iter().rev().take_while(|&s| s & OPEN == 0);
        let start = self.states.len() - waiting.take(most).count();
        for state in &mut self.states[start..] {
            *state |= OPEN;
        }
        self.from[start] |= FIRST;
        start
    }

    /// The states from the initial one to the open one at that place.
    fn way_to(&self, mut at: usize) -> Vec<StateId> {
        let mut way = vec![state_of(self.states[at])];
        loop {
            let index = usize::from(self.from[at] & !FIRST);
            let Some(start) = self.group_of(at) else {
                break;
            };
            let below = self.states[..start].iter().rposition(|s| s & OPEN != 0);
            let Some(below) = below.and_then(|top| self.group_of(top)) else {
                break;
            };
            at = below + index;
            way.push(state_of(self.states[at]));
        }
        way.reverse();
        way
    }

    /// Where the group of the open state at that place begins.
    fn group_of(&self, at: usize) -> Option<usize> {
        self.from[..=at].iter().rposition(|f| f & FIRST != 0)
    }

    fn is_open(&self, id: StateId) -> bool {
        self.states.contains(&(id.raw() | OPEN))
    }

    fn bytes(&self) -> u64 {
        (self.states.capacity() * size_of::<u64>() + self.from.capacity()) as u64
    }
}

fn state_of(entry: u64) -> StateId {
    StateId::new(entry & !OPEN)
}

/// Where a state stands; kept with it once there was an ample set. What is not on the stack by then has been left.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Mark {
    Left,
    Open,
    Waiting,
}

impl Mark {
    fn of(store: &ExactStore, id: StateId) -> Mark {
        match store.note(id) {
            2 => Mark::Waiting,
            1 => Mark::Open,
            _ => Mark::Left,
        }
    }

    fn put(self, store: &mut ExactStore, id: StateId) {
        store.set_note(id, self as u64);
    }
}

/// Marks the states on the stack and those just stored; the others have been left.
fn begin_marks<P: Space>(expander: &mut Expander<'_, P>, stack: &Stack) {
    for &entry in &stack.states {
        let mark = match entry & OPEN {
            0 => Mark::Waiting,
            _ => Mark::Open,
        };
        mark.put(&mut expander.store, state_of(entry));
    }
    for index in 0..expander.answers().len() {
        if let Insert::New(id) = expander.answers()[index] {
            Mark::Waiting.put(&mut expander.store, id);
        }
    }
    expander.mark_with(Mark::Waiting as u8);
}

pub(super) fn search<P: Space>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let reduces = space.reduces();
    let tail = if reduces {
        Tail::Mark(Mark::Left as u8)
    } else {
        Tail::Nothing
    };
    let (mut expander, first) = Expander::start(space, settings, monitor, tail);
    let mut stack = Stack::default();
    if let Some(first) = first {
        stack.push(first, 0);
    }
    let mut ends = Vec::new();
    // Number of open groups: the depth of the topmost waiting state.
    let mut depth = 0u64;
    // Whether marks are kept.
    let mut marks = false;
    while let Some((id, open)) = stack.top() {
        if expander.ledger.stopped() {
            break;
        }
        if open {
            if stack.from[stack.from.len() - 1] & FIRST != 0 {
                depth -= 1;
            }
            stack.pop();
            if marks {
                Mark::Left.put(&mut expander.store, id);
            }
            continue;
        }
        if marks && Mark::of(&expander.store, id) != Mark::Waiting {
            // It was entered from somewhere else.
            stack.pop();
            continue;
        }
        if depth > settings.limits.depth {
            expander.ledger.cut();
            stack.pop();
            continue;
        }
        let start = stack.open(if reduces { 1 } else { GROUP });
        expander.ledger.stats.depth = expander.ledger.stats.depth.max(depth);
        depth += 1;
        let mut ample = false;
        if reduces {
            if marks {
                Mark::Open.put(&mut expander.store, id);
            }
            let asked = Cell::new(false);
            let leads_on = |store: &ExactStore, targets: &[Option<StateId>]| {
                asked.set(true);
                let not_open = |id: StateId| match marks {
                    true => Mark::of(store, id) != Mark::Open,
                    false => !stack.is_open(id),
                };
                targets.iter().any(|target| target.is_none_or(not_open))
            };
            let way = |_: &ExactStore| stack.way_to(start);
            let decision = expander.expand(id, &way, Extent::Enough(&leads_on), true);
            ample = decision != Decision::All;
            if asked.get() && !marks {
                marks = true;
                begin_marks(&mut expander, &stack);
            }
            ends.clear();
            ends.push(expander.answers().len());
        } else {
            let group: SmallVec<[StateId; GROUP]> =
                stack.states[start..].iter().map(|&s| state_of(s)).collect();
            expander.expand_group(&group, &|index| stack.way_to(start + index), &mut ends);
        }
        let waits = |id: StateId| ample && Mark::of(&expander.store, id) == Mark::Waiting;
        for member in (0..ends.len()).rev() {
            let begin = if member == 0 { 0 } else { ends[member - 1] };
            // When the store is full there are fewer answers.
            let answers = expander.answers().get(begin..ends[member]).unwrap_or(&[]);
            for answer in answers.iter().rev() {
                match *answer {
                    Insert::New(id) => stack.push(id, member),
                    Insert::Seen(id) if waits(id) => stack.push(id, member),
                    Insert::Seen(_) | Insert::Full => {}
                }
            }
        }
        if expander.ledger.due() {
            let bytes = stack.bytes() + expander.bytes();
            expander.ledger.tick(&mut expander.store, bytes, depth);
        }
    }
    let bytes = stack.bytes() + expander.bytes();
    expander.ledger.close(&expander.store, bytes)
}
