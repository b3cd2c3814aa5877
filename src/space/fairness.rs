//! Fairness constraints of a program: one per process, or under condition F one per operation.

use super::Transition;
use crate::fairness::{Constraints, Fairness, NumberSet};
use crate::machine::{Look, Move};
use crate::reduce::Operations;
use promela_lite::program::Program;

/// The fairness constraints of a program and the actions that satisfy them, as [`super::Fair`] wants them.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramFairness {
    fairness: Fairness,
    /// Under condition F.
    operations: Option<Operations>,
}

impl ProgramFairness {
    pub(super) fn new(program: &Program, fairness: &Fairness) -> ProgramFairness {
        ProgramFairness {
            fairness: fairness.clone(),
            operations: fairness.is_f().then(|| Operations::new(program)),
        }
    }

    /// Adds the actions of a step that begins with a move.
    pub(super) fn actions(
        &mut self,
        look: &Look<'_>,
        first: Move,
        movers: &NumberSet,
        into: &mut NumberSet,
    ) {
        match &mut self.operations {
            Some(operations) => into.insert(operations.number(look, first).index()),
            None => into.absorb(movers),
        }
    }

    pub(super) fn constraints(&self, look: &Look<'_>, enabled: &NumberSet) -> Constraints {
        match &self.operations {
            Some(_) => Constraints {
                weak: NumberSet::default(),
                strong: enabled.clone(),
            },
            None => self.fairness.constraints(look),
        }
    }

    pub(super) fn satisfied(&self, actions: &NumberSet, constraints: &NumberSet) -> NumberSet {
        match &self.operations {
            Some(operations) => operations.dependent(actions, constraints),
            None => actions.within(constraints),
        }
    }
}

impl Transition for Move {
    fn add_movers(self, into: &mut NumberSet) {
        into.insert(usize::from(self.pid.0));
        if let Some((pid, _)) = self.partner {
            into.insert(usize::from(pid.0));
        }
    }
}
