//! Breadth-first search: all states at one distance before any at the next.
//!
//! The first violation found has the fewest steps, where a step is one from a stored state to the next: an
//! `atomic` sequence counts as one. Every record names the state it was first reached from; the moves of a
//! counterexample are found again by connecting each state on the way to the next one, so no move is stored.

use super::walk::{Reached, Walk};
use super::{Outcome, Settings, Space};
use crate::limits::Monitor;
use crate::store::StateId;

pub(super) fn search<P: Space>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let (mut walk, first) = Walk::start(space, settings, monitor, true);
    let mut level: Vec<StateId> = first.into_iter().collect();
    let mut further = Vec::new();
    while !level.is_empty() && !walk.stopped() {
        for &id in &level {
            if walk.stopped() {
                break;
            }
            walk.open(id);
            while let Some(reached) = walk.next() {
                if let Reached::New(id) = reached {
                    walk.retract();
                    further.push(id);
                }
            }
        }
        std::mem::swap(&mut level, &mut further);
        further.clear();
        walk.queue_bytes = ((level.capacity() + further.capacity()) * size_of::<StateId>()) as u64;
        walk.level += 1;
        if walk.level > settings.limits.depth && !level.is_empty() {
            walk.cut();
            break;
        }
    }
    walk.finish()
}
