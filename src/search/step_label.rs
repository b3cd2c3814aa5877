//! How the steps of a state were made, for those who ask who moved.

use super::Space;
use crate::fairness::NumberSet;
use crate::store::{ExactStore, Insert, StateId};

/// How a step was made: its first move, and all the processes that move in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepLabel<M> {
    pub(super) first: M,
    pub(super) movers: NumberSet,
}

/// What there is to say about a state that has been expanded.
pub(super) struct Expanded<'e, P: Space> {
    pub(super) space: &'e mut P,
    pub(super) store: &'e ExactStore,
    pub(super) state: &'e [u8],
    /// What can happen in it.
    pub(super) enabled: &'e [P::Move],
    /// What the store said to its successors.
    pub(super) answers: &'e [Insert],
    /// How each of these was come to, if that is noted.
    pub(super) step_labels: &'e [StepLabel<P::Move>],
}

/// A step between two stored states, and how it is to be made if that matters.
pub(super) type Link<M> = (StateId, StateId, Option<StepLabel<M>>);
