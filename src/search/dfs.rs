//! Depth-first search: go on from every new state at once.
//!
//! The stack is explicit and on the heap, its frames are small, and there is no bound on its depth but memory.
//! Every reachable state is entered exactly once, when it is first stored.

use super::walk::{Reached, Walk};
use super::{Outcome, Settings, Space};
use crate::limits::Monitor;

pub(super) fn search<P: Space>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let (mut walk, first) = Walk::start(space, settings, monitor, false);
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
