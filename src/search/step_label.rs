//! Labels of the steps of a state: which processes move, as fairness needs it.

use crate::fairness::NumberSet;
use crate::space::Space;
use crate::store::{ExactStore, Insert, StateId};

/// The label of a step: its first move, and all the processes that move in it.
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
    /// The moves that are enabled in it.
    pub(super) enabled: &'e [P::Move],
    /// What the store said to its successors.
    pub(super) answers: &'e [Insert],
    /// The labels of the steps to these, if they are kept.
    pub(super) step_labels: &'e [StepLabel<P::Move>],
}

/// A step between two stored states, with its label if that matters.
pub(super) type Link<M> = (StateId, StateId, Option<StepLabel<M>>);
