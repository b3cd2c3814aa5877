//! Depth-first search for violations of safety with a lossy store.
//!
//! Without a reduction a state is marked when it is first reached, and the successors of a state are looked up together.
//! With one it is marked when it is entered, as in the textbook: then a successor that does not lie on the path is left
//! before the state at hand is, and ample moves suffice if one of them leads to such a successor (the argument is that of
//! [`dfs`](super::super::dfs)).

use super::super::{Outcome, Settings, Space};
use super::stack::Stack;
use super::steps::{Extent, Made, Steps};
use super::{Left, Lossy};
use crate::limits::Monitor;
use crate::store::{Fingerprint, LossyStore};

/// Searches `space` for violations of safety; says what may have been left out.
pub fn search_lossy<P: Space>(
    space: &mut P,
    settings: &Settings,
    lossy: &Lossy,
    monitor: &mut dyn Monitor,
) -> (Outcome<P::Move>, Left) {
    let reduces = space.reduces();
    let mut stack = Stack::new(reduces);
    let mut steps = Steps::start(space, settings, monitor, &mut stack);
    let mut store = LossyStore::new(lossy.store);
    let mut chosen: Vec<Made> = Vec::new();
    if !reduces && !stack.is_idle() {
        reach_first(&mut steps, &mut store);
    }
    while !steps.ledger.stopped() {
        let Some(waiting) = stack.next() else {
            if stack.path.is_empty() {
                break;
            }
            stack.leave(true);
            continue;
        };
        let depth = stack.path.len() as u64;
        if reduces && !store.insert(waiting.fingerprint) {
            steps.matched();
            stack.drop(waiting);
            continue;
        }
        if depth > settings.limits.depth {
            steps.ledger.cut();
            stack.drop(waiting);
            continue;
        }
        stack.enter(waiting, true, &mut steps.state);
        steps.ledger.stats.depth = steps.ledger.stats.depth.max(depth);
        if reduces {
            let key = steps.space.stored_len(&steps.state);
            steps.arrived(waiting.fingerprint, key);
        }
        let leads_on = |made: &[Made]| made.iter().any(|m| stack.place(m.fingerprint).is_none());
        let extent = Extent::Enough(&leads_on, &mut |_| {});
        steps.expand(&store, &stack, extent, true);
        chosen.clear();
        for index in 0..steps.made.len() {
            let made = steps.made[index];
            let new = match reduces {
                true => !store.contains(made.fingerprint),
                false => store.insert(made.fingerprint),
            };
            if !new {
                steps.matched();
                continue;
            }
            chosen.push(made);
            if !reduces {
                let bytes = steps.key(&made).len();
                steps.arrived(made.fingerprint, bytes);
            }
        }
        lossy.order.arrange(waiting.fingerprint, &mut chosen);
        if !stack.wait(&steps, &chosen) {
            steps.ledger.full();
        }
        steps.tick(&store, &stack);
    }
    steps.finish(&store, &stack)
}

/// The initial state is reached without a step.
fn reach_first<P: Space>(steps: &mut Steps<'_, P>, store: &mut LossyStore) {
    let key = steps.space.stored_len(&steps.state);
    let fingerprint = Fingerprint::of(&steps.state[..key]);
    store.insert(fingerprint);
    steps.arrived(fingerprint, key);
}
