//! A model for both checkers.

use ample::typed::{StateCode, TransitionSystem};
use stateright::{Model, Property};
use std::fmt::Debug;
use std::hash::Hash;

/// What both need.
pub trait System: Send + Sync + 'static {
    type State: StateCode + Clone + Debug + Eq + Hash + Send + Sync + 'static;
    type Action: Clone + Debug + PartialEq + Send + Sync + 'static;

    fn initial(&self) -> Self::State;
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;
    fn holds(&self, state: &Self::State) -> bool;
}

pub struct Ours<S>(pub S);

impl<S: System> TransitionSystem for Ours<S> {
    type State = S::State;
    type Action = S::Action;

    fn initial(&self) -> Vec<S::State> {
        vec![self.0.initial()]
    }

    fn actions(&self, state: &S::State, out: &mut Vec<S::Action>) {
        self.0.actions(state, out);
    }

    fn next(&self, state: &S::State, action: &S::Action) -> Option<S::State> {
        self.0.next(state, action)
    }
}

pub struct Theirs<S>(pub S);

impl<S: System> Model for Theirs<S> {
    type State = S::State;
    type Action = S::Action;

    fn init_states(&self) -> Vec<S::State> {
        vec![self.0.initial()]
    }

    fn actions(&self, state: &S::State, out: &mut Vec<S::Action>) {
        self.0.actions(state, out);
    }

    fn next_state(&self, state: &S::State, action: S::Action) -> Option<S::State> {
        self.0.next(state, &action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("invariant", |model: &Theirs<S>, state| {
            model.0.holds(state)
        })]
    }
}
