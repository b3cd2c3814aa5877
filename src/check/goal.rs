//! What can be checked about a model.

use super::Model;
use crate::limits::Cancellation;
use crate::property::{Property, Unsupported};
use crate::space::Labels;
use promela_lite::program::Formula;

/// Something to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// No assertion fails, no process is stuck, and the model does nothing that has no meaning.
    Safety,
    /// The `ltl` block of that name, or a formula that was added to the model under that name.
    Formula(String),
    /// The `never` claim of that name.
    Claim(String),
    /// No cycle passes an `accept` label of a process.
    Acceptance,
    /// Every cycle passes a `progress` label.
    NonProgress,
    /// The automaton of violations that was added to the model.
    Automaton,
}

/// An automaton of violations from outside the model.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What it is called.
    pub name: String,
    /// Accepts the words of violating runs.
    pub buchi: ltl::Buchi,
    /// What its atoms mean in the model.
    pub propositions: Vec<Formula>,
}

impl Goal {
    /// What reports call it.
    pub fn name<'a>(&'a self, model: &'a Model) -> &'a str {
        match self {
            Goal::Safety => "safety",
            Goal::Formula(name) | Goal::Claim(name) => name,
            Goal::Acceptance => "acceptance",
            Goal::NonProgress => NON_PROGRESS,
            Goal::Automaton => model.automaton.as_ref().map_or("", |a| &a.name),
        }
    }

    /// Everything that a model states, safety first.
    pub(super) fn all(model: &Model) -> Vec<Goal> {
        let program = &model.program;
        let formulas = program.ltl.iter().map(|l| match l.name.as_str() {
            NON_PROGRESS => Goal::NonProgress,
            name => Goal::Formula(name.to_owned()),
        });
        let claims = program.claims.iter().map(|c| Goal::Claim(c.name.clone()));
        let mut goals = vec![Goal::Safety];
        goals.extend(formulas.chain(claims));
        if Labels::any(program) {
            goals.push(Goal::Acceptance);
        }
        if model.automaton.is_some() {
            goals.push(Goal::Automaton);
        }
        goals
    }

    /// The property that runs are held against; none for safety and for accept labels.
    pub(crate) fn property(
        &self,
        model: &Model,
        cancellation: &Cancellation,
    ) -> Result<Option<Property>, Unsupported> {
        let program = &model.program;
        let missing = |what: &str| {
            Err(Unsupported(format!(
                "{what}, which the model does not have,"
            )))
        };
        let formula = |name: &str| match program.ltl.iter().find(|l| l.name == name) {
            Some(ltl) => Property::ltl_within(program, ltl, cancellation),
            None => missing(&format!("a formula {name}")),
        };
        match self {
            Goal::Safety | Goal::Acceptance => return Ok(None),
            Goal::Formula(name) => formula(name),
            Goal::NonProgress => formula(NON_PROGRESS).map(Property::of_infinite_runs),
            Goal::Claim(name) => match program.claims.iter().find(|c| c.name == *name) {
                Some(claim) => Property::claim(program, claim),
                None => missing(&format!("a claim {name}")),
            },
            Goal::Automaton => match &model.automaton {
                Some(a) => Property::automaton(program, &a.name, &a.buchi, &a.propositions),
                None => missing("an automaton"),
            },
        }
        .map(Some)
    }
}

/// The name of the formula that stands for non-progress.
pub(super) const NON_PROGRESS: &str = "progress labels";
/// That formula.
pub(super) const NON_PROGRESS_FORMULA: &str = "[] <> ! np_";
