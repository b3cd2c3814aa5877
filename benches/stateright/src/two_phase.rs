//! Two-phase commit: a manager, resource managers, and a network that is a set of messages which are never lost.

use crate::model::System;
use ample::{code_enum, code_struct};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Manager {
    Open,
    Committed,
    Aborted,
}
code_enum!(Manager {
    Open,
    Committed,
    Aborted
});

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    Prepared(u8),
    Commit,
    Abort,
}
code_enum!(Message { Prepared(resource), Commit, Abort });

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    resources: Vec<Resource>,
    manager: Manager,
    prepared: Vec<bool>,
    sent: BTreeSet<Message>,
}
code_struct!(State {
    resources,
    manager,
    prepared,
    sent
});

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Commit,
    Abort,
    Hear(u8),
    Prepare(u8),
    GiveUp(u8),
    ObeyCommit(u8),
    ObeyAbort(u8),
}

pub struct TwoPhase {
    pub resources: usize,
}

impl System for TwoPhase {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State {
            resources: vec![Resource::Working; self.resources],
            manager: Manager::Open,
            prepared: vec![false; self.resources],
            sent: BTreeSet::new(),
        }
    }

    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        let open = state.manager == Manager::Open;
        if open {
            out.push(Action::Abort);
            if state.prepared.iter().all(|p| *p) {
                out.push(Action::Commit);
            }
        }
        let commit = state.sent.contains(&Message::Commit);
        let abort = state.sent.contains(&Message::Abort);
        for (index, resource) in state.resources.iter().enumerate() {
            let r = index as u8;
            if open && state.sent.contains(&Message::Prepared(r)) {
                out.push(Action::Hear(r));
            }
            if *resource == Resource::Working {
                out.extend([Action::Prepare(r), Action::GiveUp(r)]);
            }
            if commit {
                out.push(Action::ObeyCommit(r));
            }
            if abort {
                out.push(Action::ObeyAbort(r));
            }
        }
    }

    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = state.clone();
        match *action {
            Action::Commit => {
                next.manager = Manager::Committed;
                next.sent.insert(Message::Commit);
            }
            Action::Abort => {
                next.manager = Manager::Aborted;
                next.sent.insert(Message::Abort);
            }
            Action::Hear(r) => next.prepared[usize::from(r)] = true,
            Action::Prepare(r) => {
                next.resources[usize::from(r)] = Resource::Prepared;
                next.sent.insert(Message::Prepared(r));
            }
            Action::GiveUp(r) | Action::ObeyAbort(r) => {
                next.resources[usize::from(r)] = Resource::Aborted;
            }
            Action::ObeyCommit(r) => next.resources[usize::from(r)] = Resource::Committed,
        }
        Some(next)
    }

    fn holds(&self, state: &State) -> bool {
        !(state.resources.contains(&Resource::Aborted) && state.resources.contains(&Resource::Committed))
    }
}
