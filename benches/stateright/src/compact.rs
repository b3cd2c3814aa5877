//! Two-phase commit as in `two_phase`, with a state that is six small numbers: sets of resource managers as bits.

use crate::model::System;
use crate::two_phase::Action;
use ample::code_struct;

/// Bit *r* of each set stands for resource manager *r*. What is said stays said, so the set of messages is `said` and what the
/// manager has decided.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Who has left the state "working", and for what.
    prepared: u16,
    committed: u16,
    aborted: u16,
    said: u16,
    heard: u16,
    /// 0: open, 1: commit, 2: abort.
    decision: u8,
}
code_struct!(State {
    prepared,
    committed,
    aborted,
    said,
    heard,
    decision
});

pub struct TwoPhase {
    pub resources: usize,
}

impl State {
    fn become_of(&mut self, r: u8, prepared: bool, committed: bool, aborted: bool) {
        let put = |set: &mut u16, is_in: bool| *set = *set & !(1 << r) | u16::from(is_in) << r;
        put(&mut self.prepared, prepared);
        put(&mut self.committed, committed);
        put(&mut self.aborted, aborted);
    }
}

impl System for TwoPhase {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State {
            prepared: 0,
            committed: 0,
            aborted: 0,
            said: 0,
            heard: 0,
            decision: 0,
        }
    }

    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        if state.decision == 0 {
            out.push(Action::Abort);
            if state.heard == (1 << self.resources) - 1 {
                out.push(Action::Commit);
            }
        }
        let working = !(state.prepared | state.committed | state.aborted);
        for r in 0..self.resources as u8 {
            if state.decision == 0 && state.said >> r & 1 == 1 {
                out.push(Action::Hear(r));
            }
            if working >> r & 1 == 1 {
                out.extend([Action::Prepare(r), Action::GiveUp(r)]);
            }
            match state.decision {
                1 => out.push(Action::ObeyCommit(r)),
                2 => out.push(Action::ObeyAbort(r)),
                _ => {}
            }
        }
    }

    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = *state;
        match *action {
            Action::Commit => next.decision = 1,
            Action::Abort => next.decision = 2,
            Action::Hear(r) => next.heard |= 1 << r,
            Action::Prepare(r) => {
                next.said |= 1 << r;
                next.become_of(r, true, false, false);
            }
            Action::GiveUp(r) | Action::ObeyAbort(r) => next.become_of(r, false, false, true),
            Action::ObeyCommit(r) => next.become_of(r, false, true, false),
        }
        Some(next)
    }

    fn holds(&self, state: &State) -> bool {
        state.committed == 0 || state.aborted == 0
    }
}
