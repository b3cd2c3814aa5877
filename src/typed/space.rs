//! A system as a space to search for states that violate a goal.
//!
//! A node is a byte that says what it is, and the bytes of a state. The searches start from one state, a system from several:
//! so the first node is the *root*, from which one move leads to each of these. A goal that a state violates is one more move
//! of that state, which fails; so a state that violates several goals is told of for each of them, and a search that goes on
//! visits its successors like any other's. A goal that has been violated is not asked about any more: one counterexample is
//! enough.

use super::TransitionSystem;
use super::reduction::Declarations;
use super::successors::{Panics, Successors};
use crate::checkpoint::persist;
use crate::fairness::NumberSet;
use crate::machine::{Fault, FaultKind, Pid, Step};
use crate::space::{AmpleSets, Failure, MoveInfo, Parallel, Space, Transition};
use promela_lite::source::Span;
use std::sync::atomic::{AtomicBool, Ordering};

const ROOT: u8 = 0;
const STATE: u8 = 1;

/// A condition on a state.
pub(super) type Condition<'c, State> = Box<dyn Fn(&State) -> bool + Sync + 'c>;

/// What is asked about states.
pub(super) enum StateGoal<'c, State> {
    /// The condition holds; and what it reads, if that was said.
    Invariant(Condition<'c, State>, Option<u64>),
    /// Something can happen, or the run may end there.
    NoDeadlock,
}

/// What is the same for all workers of a search.
pub(super) struct Shared<'c, S: TransitionSystem> {
    pub(super) system: &'c S,
    /// The states to start from, as bytes.
    pub(super) initial: &'c [Vec<u8>],
    pub(super) panics: &'c Panics,
    /// What the system declares, if that is of use.
    pub(super) declared: Option<&'c Declarations<'c, S::State>>,
}

impl<S: TransitionSystem> Clone for Shared<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: TransitionSystem> Copy for Shared<'_, S> {}

/// A step of a system.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// It starts in the initial state of that number.
    Start(u32),
    /// The action of that number, of those that [`TransitionSystem::actions`] lists.
    Action(u32),
    /// The run has ended and repeats its last state.
    Stay,
    /// The state violates the goal of that number.
    Violated(u32),
}

persist!(enum Move { Start { 0: number }, Action { 0: number }, Stay {}, Violated { 0: number } });

impl Transition for Move {
    /// Actions are nobody's: no fairness is asked for.
    fn add_movers(self, _: &mut NumberSet) {}
}

/// The states of a system, and goals for them.
pub(super) struct States<'c, S: TransitionSystem> {
    initial: &'c [Vec<u8>],
    goals: &'c [&'c StateGoal<'c, S::State>],
    /// Which goals have been violated.
    violated: &'c [AtomicBool],
    successors: Successors<'c, S>,
}

impl<'c, S: TransitionSystem> States<'c, S> {
    pub(super) fn new(
        shared: Shared<'c, S>,
        goals: &'c [&'c StateGoal<'c, S::State>],
        violated: &'c [AtomicBool],
    ) -> States<'c, S> {
        States {
            initial: shared.initial,
            goals,
            violated,
            successors: Successors::new(shared),
        }
    }
}

/// Stands for the number of a goal where a listed action cannot happen: the system gives different answers to the same
/// question, or there has been a panic.
pub(super) const UNFAITHFUL: u32 = u32::MAX;

/// The goal of that number is violated: two faults are the same if they are in the same place.
pub(super) fn violation(goal: u32) -> Failure {
    let span = Span {
        lo: goal,
        hi: goal,
        ..Span::NONE
    };
    Failure {
        fault: Fault {
            kind: FaultKind::Assertion,
            span,
        },
        step: None,
    }
}

impl<S: TransitionSystem> Space for States<'_, S> {
    type Move = Move;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.push(ROOT);
        Ok(())
    }

    fn moves(
        &mut self,
        node: &[u8],
        _: Option<Pid>,
        out: &mut Vec<Move>,
    ) -> Result<MoveInfo, (Move, Fault)> {
        let state = match node {
            [STATE, state @ ..] => state,
            _ => {
                out.extend((0..self.initial.len() as u32).map(Move::Start));
                return Ok(MoveInfo::default());
            }
        };
        let States {
            goals,
            violated,
            successors,
            ..
        } = self;
        let system = successors.system();
        let asked = |(index, _): &(usize, &&StateGoal<'_, S::State>)| {
            violated
                .get(*index)
                .is_some_and(|v| !v.load(Ordering::Relaxed))
        };
        let listed = successors.list(
            state,
            |_| Some(()),
            |state, ends| {
                for (index, goal) in goals.iter().enumerate().filter(asked) {
                    let holds = match goal {
                        StateGoal::Invariant(condition, _) => condition(state),
                        StateGoal::NoDeadlock => !ends || system.may_end(state),
                    };
                    if !holds {
                        out.push(Move::Violated(index as u32));
                    }
                }
            },
        );
        if listed.is_some() {
            out.extend(successors.actions().map(Move::Action));
        }
        Ok(MoveInfo::default())
    }

    fn apply(
        &mut self,
        node: &[u8],
        mv: Move,
        _: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let state = node.get(1..).unwrap_or_default();
        let after = match mv {
            Move::Start(index) => self.initial.get(index as usize).map(Vec::as_slice),
            Move::Action(action) => self.successors.after(state, action).map(|(next, _)| next),
            Move::Stay => Some(state),
            Move::Violated(goal) => {
                if let Some(flag) = self.violated.get(goal as usize) {
                    flag.store(true, Ordering::Relaxed);
                }
                return Err(violation(goal));
            }
        };
        let after = after.ok_or_else(|| violation(UNFAITHFUL))?;
        next.clear();
        next.push(STATE);
        next.extend_from_slice(after);
        Ok(Step { control: None })
    }

    fn settle(&mut self, _: &mut Vec<u8>) -> Result<bool, Fault> {
        Ok(true)
    }

    fn stored_len(&self, node: &[u8]) -> usize {
        node.len()
    }

    fn stuck_at(&self, _: &[u8]) -> Option<Vec<u32>> {
        None
    }
}

impl<S: TransitionSystem> AmpleSets for States<'_, S> {
    fn reduces(&self) -> bool {
        self.successors.reduces()
    }

    /// None in the root, nor in a state that violates a goal: all its moves are made. (Whether that is among the moves
    /// changes once, from when on the goal is not asked about; sets are given only afterwards.)
    fn ample(&mut self, node: &[u8], moves: &mut Vec<Move>, index: usize) -> Option<usize> {
        match node {
            [STATE, state @ ..] => self.successors.ample(state, moves, |mv| *mv, index),
            _ => None,
        }
    }

    fn ample_with(&mut self, _: &[u8], _: &[Move], _: Pid) -> Option<usize> {
        None
    }

    fn planned(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn refused(&mut self, _: &[u8], _: &[Move]) {}

    /// Nothing that matters to a search.
    fn findings(&self) -> Vec<u64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u64]) {}
}

impl<S: TransitionSystem> Parallel for States<'_, S> {
    fn take_over(&mut self, _: Self) {}
}
