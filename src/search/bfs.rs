//! Breadth first: all states at one distance before any at the next.
//!
//! The first violation found has the fewest steps, where a step is one from a stored state to the next: an
//! `atomic` sequence counts as one. Every record names the state it was first reached from; the moves of a
//! counterexample are found again by connecting each state on the way to the next one, so no move is stored.

use super::expand::{Expander, Extent, Tail, leads_on};
use super::{Outcome, Settings};
use crate::limits::Monitor;
use crate::space::AmpleSets;
use crate::store::{ExactStore, Insert, StateId};

pub(super) fn search<P: AmpleSets>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let (mut expander, first) = Expander::start(space, settings, monitor, Tail::Parent);
    let mut level: Vec<StateId> = first.into_iter().collect();
    let mut further = Vec::new();
    let mut depth = 0;
    let bytes = |a: &Vec<StateId>, b: &Vec<StateId>| {
        ((a.capacity() + b.capacity()) * size_of::<StateId>()) as u64
    };
    while !level.is_empty() && !expander.ledger.stopped() {
        if depth > settings.limits.depth {
            expander.ledger.cut();
            break;
        }
        expander.ledger.stats.depth = depth;
        for &id in &level {
            expander.expand(
                id,
                &|store| ancestors(store, id),
                Extent::Enough(&leads_on),
                true,
            );
            further.extend(expander.answers().iter().filter_map(|answer| match answer {
                Insert::New(id) => Some(*id),
                Insert::Seen(_) | Insert::Full => None,
            }));
            if expander.ledger.due() {
                let bytes = bytes(&level, &further) + expander.bytes();
                expander.ledger.tick(&mut expander.store, bytes, depth);
            }
            if expander.ledger.stopped() {
                break;
            }
        }
        std::mem::swap(&mut level, &mut further);
        further.clear();
        depth += 1;
    }
    let bytes = bytes(&level, &further) + expander.bytes();
    expander.ledger.close(&expander.store, bytes)
}

/// The states from the initial one to `id`, along the parents.
pub(super) fn ancestors(store: &ExactStore, id: StateId) -> Vec<StateId> {
    let parent = |id: &StateId| StateId::from_raw(store.note(*id));
    let mut ids: Vec<StateId> = std::iter::successors(Some(id), parent).collect();
    ids.reverse();
    ids
}
