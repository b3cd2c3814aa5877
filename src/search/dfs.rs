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

use super::expand::Expander;
use super::{Outcome, Settings, Space};
use crate::limits::Monitor;
use crate::store::{ExactStore, StateId};

/// Flag of a stack entry: the state has been expanded.
const OPEN: u64 = 1 << 63;

pub(super) fn search<P: Space>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let (mut expander, first) = Expander::start(space, settings, monitor, false);
    let mut stack: Vec<u64> = first.map(StateId::raw).into_iter().collect();
    let mut fresh = Vec::new();
    // Number of open states: the depth of the topmost waiting one.
    let mut depth = 0u64;
    while let Some(top) = stack.last_mut() {
        if expander.ledger.stopped() {
            break;
        }
        if *top & OPEN != 0 {
            stack.pop();
            depth -= 1;
            continue;
        }
        if depth > settings.limits.depth {
            expander.ledger.cut();
            stack.pop();
            continue;
        }
        let id = StateId::from_raw(*top);
        *top |= OPEN;
        expander.ledger.stats.depth = expander.ledger.stats.depth.max(depth);
        depth += 1;
        let open = |_: &ExactStore| {
            let open = stack.iter().filter(|&&s| s & OPEN != 0);
            open.map(|&s| StateId::from_raw(s & !OPEN)).collect()
        };
        expander.expand(id, &open, &mut fresh);
        stack.extend(fresh.drain(..).rev().map(StateId::raw));
        if expander.ledger.due() {
            let bytes = (stack.capacity() * size_of::<u64>()) as u64 + expander.bytes();
            expander.ledger.tick(&mut expander.store, bytes, depth);
        }
    }
    let bytes = (stack.capacity() * size_of::<u64>()) as u64 + expander.bytes();
    expander.ledger.close(&expander.store, bytes)
}
