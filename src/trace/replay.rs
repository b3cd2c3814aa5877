//! Executing a trail again, move by move, on the plain machine.
//!
//! Every choice must be among the moves that the machine lists at that point; the observer of the replay sees
//! each moment with the states before and after. What the run ends in is returned, and the caller compares it
//! with what was reported: a violation that cannot be reproduced is never reported as one.

use crate::machine::{Fault, Move, Pid, Run};
use promela_lite::program::Program;
use std::fmt;
use std::sync::Arc;

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

/// Makes a move that was listed, and shows it; gives the fault if it fails.
pub(super) fn make(run: &mut Run, mv: Move, see: &mut dyn FnMut(&Moment<'_>)) -> Option<Fault> {
    let index = run.made();
    let made = run.make(mv);
    see(&Moment {
        index,
        mv,
        before: run.before(),
        after: made.moved.then(|| run.state()),
        control: run.control().filter(|_| made.moved),
    });
    made.fault
}

/// Shows a move that fails when it is listed, with which the run ends.
pub(super) fn refuse(
    run: &Run,
    mv: Move,
    fault: Fault,
    see: &mut dyn FnMut(&Moment<'_>),
) -> Ending {
    see(&Moment {
        index: run.made(),
        mv,
        before: run.state(),
        after: None,
        control: None,
    });
    Ending::of(fault)
}

/// What a run has come to, whose last move had that fault, when it is not to go on.
pub(super) fn ending(run: &mut Run, fault: Option<Fault>) -> Ending {
    let broken = fault.as_ref().is_some_and(|f| !f.kind.leaves_successor());
    let rest = match run.list() {
        _ if broken => Rest::Broken,
        Err(_) => Rest::Open,
        Ok(_) if !run.moves().is_empty() => Rest::Open,
        Ok(_) if run.machine.is_valid_end(run.state()) => Rest::ValidEnd,
        Ok(_) => Rest::InvalidEnd,
    };
    Ending { fault, rest }
}

/// Executes `choices` from the initial state. Faults on the way are passed over, as a search past violations
/// does, if the machine can go on after them.
pub fn replay(
    program: &Arc<Program>,
    choices: &[Move],
    see: &mut dyn FnMut(&Moment<'_>),
) -> Result<Ending, Lost> {
    let mut run = match Run::start(program) {
        Ok(run) => run,
        Err(fault) => return Ok(Ending::of(fault)),
    };
    let mut fault = None;
    for (index, &mv) in choices.iter().enumerate() {
        let last = index + 1 == choices.len();
        match run.list() {
            Err((at, fault)) if last && at == mv => return Ok(refuse(&run, mv, fault, see)),
            Ok(_) | Err(_) if run.moves().contains(&mv) => {}
            Ok(_) | Err(_) => return Err(Lost { index, mv }),
        }
        fault = make(&mut run, mv, see);
    }
    Ok(ending(&mut run, fault))
}
