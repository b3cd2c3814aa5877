//! Which moves lead from one stored state to the next.
//!
//! A search knows the states on the way to a violation, not the moves between them. Two neighbours are connected by one move,
//! or by an `atomic` sequence whose inner states are not stored; this looks for it, and remembers the inner states that it has
//! been to.

use super::step_label::StepLabel;
use super::steps::{Stepper, Visitor, Way};
use crate::fairness::NumberSet;
use crate::machine::{Fault, Pid};
use crate::space::{Space, Transition};
use std::collections::HashSet;

/// Looks for a step to a state.
struct Wanted<'w, M> {
    to: &'w [u8],
    /// Who must move in the step.
    movers: &'w NumberSet,
    /// Inner states, with who has control and who has not moved yet.
    seen: HashSet<(Vec<u8>, Pid, NumberSet)>,
    found: Option<Vec<M>>,
}

impl<M: Transition> Wanted<'_, M> {
    /// Who must move and has not.
    fn missing(&self, way: &Way<'_, M>) -> NumberSet {
        let mut moved = NumberSet::default();
        way.moves().for_each(|mv| mv.add_movers(&mut moved));
        self.movers.without(&moved)
    }
}

impl<P: Space> Visitor<P> for Wanted<'_, P::Move> {
    type Mark = ();

    fn mark(&mut self, _: Option<()>, _: P::Move) {}

    fn control_kept(&mut self, _: impl FnOnce() -> u64) {}

    fn follow(&mut self, state: &[u8], pid: Pid, way: &Way<'_, P::Move>) -> bool {
        let missing = self.missing(way);
        self.seen.insert((state.to_vec(), pid, missing))
    }

    fn arrive(&mut self, space: &mut P, state: &mut Vec<u8>, way: &Way<'_, P::Move>, (): ()) {
        if self.missing(way).is_empty() && space.settle(state).unwrap_or(false) && state == self.to
        {
            self.found = Some(way.moves().collect());
        }
    }

    /// Where one move fails, others may lead there.
    fn fault(&mut self, _: &mut P, _: Fault, _: &Way<'_, P::Move>) {}

    fn goes_on(&self) -> bool {
        true
    }

    fn stopped(&self) -> bool {
        self.found.is_some()
    }
}

/// The moves from the stored state `from` to the stored state `to`, which is a successor of it; none if it is
/// not.
pub(crate) fn connect<P: Space>(space: &mut P, from: &[u8], to: &[u8]) -> Vec<P::Move> {
    connect_by(space, from, to, None)
}

/// The same, to be made in that way.
pub(super) fn connect_by<P: Space>(
    space: &mut P,
    from: &[u8],
    to: &[u8],
    by: Option<&StepLabel<P::Move>>,
) -> Vec<P::Move> {
    let mut moves = Vec::new();
    // Where one move cannot even be listed, the others are there nevertheless.
    let info = space.moves(from, None, &mut moves).unwrap_or_default();
    let nobody = NumberSet::default();
    let mut wanted = Wanted {
        to,
        movers: by.map_or(&nobody, |label| &label.movers),
        seen: HashSet::new(),
        found: None,
    };
    let mut stepper = Stepper::default();
    for mv in moves {
        if wanted.found.is_none() && by.is_none_or(|label| label.first == mv) {
            stepper.make(space, (from, info.timeout), mv, &mut wanted);
        }
    }
    wanted.found.unwrap_or_default()
}
