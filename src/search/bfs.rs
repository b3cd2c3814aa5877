//! Breadth first: all states at one distance before any at the next.
//!
//! The first violation found has the fewest steps, where a step is one from a stored state to the next: an
//! `atomic` sequence counts as one. Every record names the state it was first reached from; the moves of a
//! counterexample are found again by connecting each state on the way to the next one, so no move is stored.

use super::expand::{Begun, Expander, Extent, Tail, leads_on};
use super::{Outcome, Settings};
use crate::checkpoint::{In, Persist};
use crate::limits::Monitor;
use crate::space::AmpleSets;
use crate::store::{ExactStore, Insert, StateId};

pub(super) fn search<P: AmpleSets>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let rest = |input: &mut In| {
        let (level, further) = <(Vec<StateId>, Vec<StateId>)>::load(input)?;
        let (depth, next) = <(u64, usize)>::load(input)?;
        Ok((level, further, depth, next))
    };
    let (mut expander, begun) = Expander::begin(space, settings, monitor, Tail::Parent, rest);
    // Those of `level` from `next` on have still to be expanded.
    let (mut level, mut further, mut depth, mut next) = match begun {
        Begun::First(first) => (first.into_iter().collect(), Vec::new(), 0, 0),
        Begun::Resumed(rest) => rest,
    };
    let bytes = |a: &Vec<StateId>, b: &Vec<StateId>| {
        ((a.capacity() + b.capacity()) * size_of::<StateId>()) as u64
    };
    while !level.is_empty() && !expander.ledger.stopped() {
        if depth > settings.limits.depth {
            expander.ledger.cut();
            break;
        }
        expander.ledger.stats.depth = depth;
        while let Some(&id) = level.get(next) {
            expander.expand(
                id,
                &|store| ancestors(store, id),
                Extent::Enough(&leads_on),
                true,
            );
            next += 1;
            further.extend(expander.answers().iter().filter_map(|answer| match answer {
                Insert::New(id) => Some(*id),
                Insert::Seen(_) | Insert::Full => None,
            }));
            if expander.ledger.due() {
                let bytes = bytes(&level, &further) + expander.bytes();
                expander.ledger.tick(&mut expander.store, bytes, depth);
                if expander.ledger.is_pausing() {
                    expander.checkpoint(|out| {
                        level.save(out)?;
                        further.save(out)?;
                        (depth, next).save(out)
                    });
                }
            }
            if expander.ledger.stopped() {
                break;
            }
        }
        std::mem::swap(&mut level, &mut further);
        further.clear();
        next = 0;
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
