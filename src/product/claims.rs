//! To whom a run must be fair: processes, or under condition F operations.

use crate::fairness::{Demands, Fairness, NumberSet};
use crate::machine::{Look, Move};
use crate::reduce::Operations;
use promela_lite::program::Program;

/// Claimants and deeds of a program, as [`crate::search::Fair`] wants them.
#[derive(Debug, Default)]
pub(super) struct Claims {
    fairness: Fairness,
    /// Under condition F.
    operations: Option<Operations>,
}

impl Claims {
    pub(super) fn new(program: &Program, fairness: &Fairness) -> Claims {
        Claims {
            fairness: fairness.clone(),
            operations: fairness.is_f().then(|| Operations::new(program)),
        }
    }

    /// Adds the deeds of a step that begins with a move.
    pub(super) fn deeds(
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

    pub(super) fn demands(&self, look: &Look<'_>, able: &NumberSet) -> Demands {
        match &self.operations {
            Some(_) => Demands {
                weak: NumberSet::default(),
                strong: able.clone(),
            },
            None => self.fairness.demands(look),
        }
    }

    pub(super) fn served(&self, deeds: &NumberSet, claimants: &NumberSet) -> NumberSet {
        match &self.operations {
            Some(operations) => operations.dependent(deeds, claimants),
            None => deeds.within(claimants),
        }
    }
}

/// Adds the processes that make a move of the program.
pub(crate) fn add_movers(mv: Move, into: &mut NumberSet) {
    into.insert(usize::from(mv.pid.0));
    if let Some((pid, _)) = mv.partner {
        into.insert(usize::from(pid.0));
    }
}
