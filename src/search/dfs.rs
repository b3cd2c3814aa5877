//! Depth first: expand the youngest state.
//!
//! The stack holds the states that wait to be expanded and, between them, those that have been and whose
//! descendants are not done: the open states are the current path. It is on the heap, one word a state, and
//! there is no bound on its depth but memory.
//!
//! A state is marked as visited when it is first reached, not when it is entered as in the textbook; for
//! finding violations of safety this makes no difference, and it lets the successors of a state be stored
//! together, which is much faster. Searches that depend on the textbook order use
//! [`strict`](super::strict).
//!
//! With a reduction, ample moves suffice if one of them leads to a state that is not open. Such a state is left before the
//! one at hand is (it has been already, or it is entered from here), so nothing is put off forever: going from state to
//! state in the order in which they are left ends in one that was expanded fully. To know which states are open, each has
//! a mark; and where only ample moves are made, a state that still waits further down the stack is entered from here, as in
//! the textbook. Where all moves are made nothing is put off, and it may go on waiting: else the stack would fill up with
//! states that it holds already.
//!
//! Marks cost time, since leaving a state means to touch it once more. Until the first ample set turns up nobody asks for
//! them, and they are not kept: what they would be is then told by the stack. So a model in which there is nothing to
//! reduce is spared them altogether.

use super::expand::{Decision, Expander, Extent, Tail};
use super::{Outcome, Settings, Space};
use crate::limits::Monitor;
use crate::store::{ExactStore, Insert, StateId, Store};
use std::cell::Cell;

/// Flag of a stack entry: the state has been expanded.
const OPEN: u64 = 1 << 63;

/// Where a state stands; kept with it once there was an ample set. What is not on the stack by then has been left.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Mark {
    Left,
    Open,
    Waiting,
}

impl Mark {
    fn of(store: &ExactStore, id: StateId) -> Mark {
        match store.extra(id).last() {
            Some(2) => Mark::Waiting,
            Some(1) => Mark::Open,
            _ => Mark::Left,
        }
    }

    fn put(self, store: &mut ExactStore, id: StateId) {
        if let Some(byte) = store.extra_mut(id).last_mut() {
            *byte = self as u8;
        }
    }
}

/// Marks the states on the stack and those just stored; the others have been left.
fn begin_marks<P: Space>(expander: &mut Expander<'_, P>, stack: &[u64]) {
    for &entry in stack {
        let mark = match entry & OPEN {
            0 => Mark::Waiting,
            _ => Mark::Open,
        };
        mark.put(&mut expander.store, StateId::from_raw(entry & !OPEN));
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
    let mut stack: Vec<u64> = first.map(StateId::raw).into_iter().collect();
    // Number of open states: the depth of the topmost waiting one.
    let mut depth = 0u64;
    // Whether marks are kept.
    let mut marks = false;
    while let Some(top) = stack.last_mut() {
        if expander.ledger.stopped() {
            break;
        }
        let id = StateId::from_raw(*top & !OPEN);
        if *top & OPEN != 0 {
            stack.pop();
            depth -= 1;
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
        *top |= OPEN;
        if marks {
            Mark::Open.put(&mut expander.store, id);
        }
        expander.ledger.stats.depth = expander.ledger.stats.depth.max(depth);
        depth += 1;
        let open = |_: &ExactStore| {
            let open = stack.iter().filter(|&&s| s & OPEN != 0);
            open.map(|&s| StateId::from_raw(s & !OPEN)).collect()
        };
        let asked = Cell::new(false);
        let leads_on = |store: &ExactStore, targets: &[Option<StateId>]| {
            asked.set(true);
            let not_open = |id: StateId| match marks {
                true => Mark::of(store, id) != Mark::Open,
                false => !stack.contains(&(id.raw() | OPEN)),
            };
            targets.iter().any(|target| target.is_none_or(not_open))
        };
        let decision = expander.expand(id, &open, Extent::Enough(&leads_on), true);
        if asked.get() && !marks {
            marks = true;
            begin_marks(&mut expander, &stack);
        }
        let ample = decision != Decision::All;
        let waits = |id: StateId| ample && Mark::of(&expander.store, id) == Mark::Waiting;
        let to_enter = expander.answers().iter().rev();
        stack.extend(to_enter.filter_map(|answer| match *answer {
            Insert::New(id) => Some(id.raw()),
            Insert::Seen(id) if waits(id) => Some(id.raw()),
            Insert::Seen(_) | Insert::Full => None,
        }));
        if expander.ledger.due() {
            let bytes = (stack.capacity() * size_of::<u64>()) as u64 + expander.bytes();
            expander.ledger.tick(&mut expander.store, bytes, depth);
        }
    }
    let bytes = (stack.capacity() * size_of::<u64>()) as u64 + expander.bytes();
    expander.ledger.close(&expander.store, bytes)
}
