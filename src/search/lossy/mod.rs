//! Searching with a store that cannot give a state back ([`crate::store::LossyStore`]).
//!
//! Both searches here are depth first and keep the states of their path in full, on a stack of bytes: [`stack`] has the
//! path and what waits beside it, [`steps`] makes successors, [`safety`] and [`cycles`] decide where to go. What lies on
//! the path is known exactly, so that a cycle found is a cycle and the provisos of the reduction are judged by the path
//! as it is. What the store gets wrong is only whether a state has been visited.
//!
//! Several workers can share the search for safety, as long as nothing is asked about the path: without a reduction.
//!
//! None of these searches can end in [`End::Complete`](super::End::Complete).

mod cycles;
mod safety;
mod stack;
mod steps;

pub use cycles::search_cycles_lossy;
pub use safety::{search_lossy, search_lossy_together};

use crate::store::{Fingerprint, Loss, LossyKind, Sketch, mix};

/// How a lossy search goes.
#[derive(Copy, Clone, Debug)]
pub struct Lossy {
    /// What is kept of a state.
    pub store: LossyKind,
    /// Which successor comes first.
    pub order: MoveOrder,
}

/// What a lossy search may have omitted and how many states it visited, besides its outcome.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// What may have been omitted.
    pub loss: Loss,
    /// The states it visited.
    pub visited: Sketch,
}

/// The order in which the successors of a state are visited. Any order visits the same states as long as nothing is lost;
/// when a search cannot visit everything, several in different orders see more.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MoveOrder {
    /// As they are listed: process by process, statement by statement.
    Listed,
    /// The other way round.
    Reversed,
    /// From the middle: the first process is another one.
    Rotated(u64),
    /// Any, and another one in every state.
    Shuffled(u64),
}

impl MoveOrder {
    /// Puts what is listed into the order in which it is to be visited.
    fn arrange<T>(self, state: Fingerprint, items: &mut [T]) {
        if items.len() < 2 {
            return;
        }
        match self {
            MoveOrder::Listed => {}
            MoveOrder::Reversed => items.reverse(),
            MoveOrder::Rotated(by) => items.rotate_left((by % items.len() as u64) as usize),
            MoveOrder::Shuffled(seed) => {
                let mut random = mix(state.raw() ^ seed);
                for last in (1..items.len()).rev() {
                    random = mix(random.wrapping_add(last as u64));
                    items.swap(last, (random % (last as u64 + 1)) as usize);
                }
            }
        }
    }
}
