//! Executing a trail again, move by move, on the plain machine.
//!
//! Every choice must be among the moves that the machine lists at that point; the observer of the replay sees
//! each moment with the states before and after. What the run ends in is returned, and the caller compares it
//! with what was reported: a violation that cannot be reproduced is never reported as one.

use crate::machine::{Fault, Move, Pid};
use crate::search::{MoveInfo, Space};
use std::fmt;

/// One move of a replay.
#[derive(Debug)]
pub struct Moment<'a> {
    /// How many moves were made before it.
    pub index: usize,
    /// The move.
    pub mv: Move,
    /// The state it was made in.
    pub before: &'a [u8],
    /// The state it led to; none if the move failed and left none.
    pub after: Option<&'a [u8]>,
    /// The process that keeps control.
    pub control: Option<Pid>,
}

/// What a replay came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// What was wrong with the last move.
    pub fault: Option<Fault>,
    /// What can happen then.
    pub rest: Rest,
}

impl Ending {
    /// A move that could not be made at all.
    pub fn of(fault: Fault) -> Ending {
        Ending {
            fault: Some(fault),
            rest: Rest::Broken,
        }
    }

    /// A run without fault, and what can happen at its end.
    pub fn at(rest: Rest) -> Ending {
        Ending { fault: None, rest }
    }
}

/// What can happen at the end of a replay.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The last move left no state.
    Broken,
    /// Nothing can happen, and some process should not rest where it is.
    InvalidEnd,
    /// Nothing can happen, and that is all right.
    ValidEnd,
    /// More could happen.
    Open,
}

/// The trail does not fit the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Number of the choice that is not possible.
    pub index: usize,
    /// The choice.
    pub mv: Move,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pid, edge) = (self.mv.pid.0, self.mv.edge.0);
        write!(
            f,
            "step {}: process {pid} cannot take edge {edge} here",
            self.index + 1
        )
    }
}

impl std::error::Error for Lost {}

/// The state of a run.
pub(super) struct Run<'a, P> {
    pub(super) space: &'a mut P,
    pub(super) state: Vec<u8>,
    pub(super) control: Option<Pid>,
    pub(super) index: usize,
    next: Vec<u8>,
    /// The last move left no state.
    broken: bool,
}

impl<'a, P: Space<Move = Move>> Run<'a, P> {
    pub(super) fn start(space: &'a mut P) -> Result<Run<'a, P>, Fault> {
        let mut state = Vec::new();
        space.initial(&mut state)?;
        Ok(Run {
            space,
            state,
            control: None,
            index: 0,
            next: Vec::new(),
            broken: false,
        })
    }

    /// What can happen now. A fault while moves are listed belongs to the move that caused it.
    pub(super) fn enabled_moves(
        &mut self,
        moves: &mut Vec<Move>,
    ) -> Result<MoveInfo, (Move, Fault)> {
        moves.clear();
        self.space.moves(&self.state, self.control, moves)
    }

    /// Makes a move that is known to be possible; gives the fault if it fails.
    pub(super) fn make(
        &mut self,
        mv: Move,
        timeout: bool,
        see: &mut dyn FnMut(&Moment<'_>),
    ) -> Option<Fault> {
        let (fault, step) = match self.space.apply(&self.state, mv, timeout, &mut self.next) {
            Ok(step) => (None, Some(step)),
            Err(failure) => (Some(failure.fault), failure.step),
        };
        see(&Moment {
            index: self.index,
            mv,
            before: &self.state,
            after: step.map(|_| self.next.as_slice()),
            control: step.and_then(|s| s.control),
        });
        self.index += 1;
        self.broken = step.is_none();
        if let Some(step) = step {
            self.control = step.control;
            std::mem::swap(&mut self.state, &mut self.next);
        }
        fault
    }

    /// Shows a move that cannot even be looked at.
    pub(super) fn refuse(&self, mv: Move, see: &mut dyn FnMut(&Moment<'_>)) {
        see(&Moment {
            index: self.index,
            mv,
            before: &self.state,
            after: None,
            control: None,
        });
    }

    /// What the run ends in, when it is not to continue.
    pub(super) fn ending(&mut self, fault: Option<Fault>) -> Ending {
        let mut moves = Vec::new();
        let rest = match self.enabled_moves(&mut moves) {
            _ if self.broken => Rest::Broken,
            Err(_) => Rest::Open,
            Ok(_) if !moves.is_empty() => Rest::Open,
            Ok(_) if self.space.is_valid_end(&self.state) => Rest::ValidEnd,
            Ok(_) => Rest::InvalidEnd,
        };
        Ending { fault, rest }
    }
}

/// Executes `choices` from the initial state. Faults on the way are passed over, as a search past violations
/// does, if the machine can go on after them.
pub fn replay<P: Space<Move = Move>>(
    space: &mut P,
    choices: &[Move],
    see: &mut dyn FnMut(&Moment<'_>),
) -> Result<Ending, Lost> {
    let mut run = match Run::start(space) {
        Ok(run) => run,
        Err(fault) => return Ok(Ending::of(fault)),
    };
    let mut fault = None;
    let mut moves = Vec::new();
    for (index, &mv) in choices.iter().enumerate() {
        let last = index + 1 == choices.len();
        let info = match run.enabled_moves(&mut moves) {
            Ok(info) => info,
            Err((at, fault)) if last && at == mv => {
                run.refuse(mv, see);
                return Ok(Ending::of(fault));
            }
            Err(_) => MoveInfo::default(),
        };
        if !moves.contains(&mv) {
            return Err(Lost { index, mv });
        }
        fault = run.make(mv, info.timeout, see);
    }
    Ok(run.ending(fault))
}
