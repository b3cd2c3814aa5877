//! Depth first in the textbook order: a state is marked when it is entered, and its successors are looked at one
//! after the other, each with all its descendants before the next.
//!
//! This is the order that searches for cycles and the stack proviso of reductions need: when a state is left,
//! everything reachable from it has been visited, but for what lies on the stack. It is also the order in which
//! SPIN visits states, and the slow twin of [`dfs`](super::dfs).

use super::walk::{Reached, Walk};
use super::{Outcome, Settings};
use crate::limits::Monitor;
use crate::space::Space;

pub(super) fn search<P: Space>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let (mut walk, first) = Walk::start(space, settings, monitor);
    if let Some(id) = first {
        walk.enter(id);
    }
    while let Some(reached) = walk.next() {
        if let Reached::New(id) = reached {
            walk.enter(id);
        }
    }
    walk.finish()
}
