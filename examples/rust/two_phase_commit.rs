//! Two-phase commit: resource managers prepare or give up, the manager commits when all have said that they are prepared, and
//! may abort before that. No resource manager commits while another one aborts, unless the manager is hasty.

#![allow(missing_docs)]

use ample::typed::{Check, Error, Report, TransitionSystem};
use ample::{Options, code_enum, code_struct};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    Working,
    Prepared,
    Committed,
    Aborted,
}
code_enum!(Resource {
    Working,
    Prepared,
    Committed,
    Aborted
});

/// Sets of resource managers are bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub resources: Vec<Resource>,
    /// What the manager has decided: whether to commit.
    pub decision: Option<bool>,
    /// Whose message "prepared" is under way or has arrived.
    pub said: u16,
    /// Whose has arrived.
    pub heard: u16,
}
code_struct!(State {
    resources,
    decision,
    said,
    heard
});

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Decide(bool),
    Hear(usize),
    Prepare(usize),
    GiveUp(usize),
    Obey(usize),
}

pub struct TwoPhaseCommit {
    pub resources: usize,
    /// A mistake: the manager commits as soon as one is prepared.
    pub hasty: bool,
}

impl TransitionSystem for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State {
            resources: vec![Resource::Working; self.resources],
            decision: None,
            said: 0,
            heard: 0,
        }]
    }

    fn actions(&self, _: &State, out: &mut Vec<Action>) {
        out.extend([Action::Decide(true), Action::Decide(false)]);
        for r in 0..self.resources {
            out.extend([
                Action::Hear(r),
                Action::Prepare(r),
                Action::GiveUp(r),
                Action::Obey(r),
            ]);
        }
    }

    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = state.clone();
        let all = (1 << self.resources) - 1;
        let enabled = match *action {
            Action::Decide(commit) => {
                next.decision = Some(commit);
                let ready = state.heard == all || self.hasty && state.heard != 0;
                state.decision.is_none() && (ready || !commit)
            }
            Action::Hear(r) => {
                next.heard |= 1 << r;
                state.decision.is_none() && state.said >> r & 1 == 1
            }
            Action::Prepare(r) => {
                next.said |= 1 << r;
                next.resources[r] = Resource::Prepared;
                state.resources[r] == Resource::Working
            }
            Action::GiveUp(r) => {
                next.resources[r] = Resource::Aborted;
                state.resources[r] == Resource::Working
            }
            Action::Obey(r) => {
                let commit = state.decision == Some(true);
                next.resources[r] = if commit {
                    Resource::Committed
                } else {
                    Resource::Aborted
                };
                state.decision.is_some()
            }
        };
        enabled.then_some(next)
    }
}

fn is_consistent(state: &State) -> bool {
    !(state.resources.contains(&Resource::Committed)
        && state.resources.contains(&Resource::Aborted))
}

/// Checks that no two resource managers end differently, and that who has committed stays so.
pub fn check(system: &TwoPhaseCommit, options: &Options) -> Result<Report<State, Action>, Error> {
    Check::new(system)
        .invariant("consistent", is_consistent)
        .atom("committed", |s| s.resources[0] == Resource::Committed)
        .ltl("final", "[] (committed -> [] committed)")
        .check(options)
}

#[allow(dead_code)]
fn main() -> Result<(), Error> {
    let options = Options {
        shortest: true,
        ..Options::default()
    };
    for hasty in [false, true] {
        let system = TwoPhaseCommit {
            resources: 4,
            hasty,
        };
        println!("hasty: {hasty}\n{}", check(&system, &options)?);
    }
    Ok(())
}
