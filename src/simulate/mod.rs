//! Simulation: one run of a model, move by move.
//!
//! [`Simulator`] is a machine with a current state. Who decides what happens next is a [`Guide`]: chance
//! ([`Random`]) or a trail ([`Script`]); a person decides in [`interactive`]. [`Narrator`] puts into words what
//! happened, in the layout that `spin` uses for its simulations, so that outputs can be compared. Nothing here
//! knows where the words go.

mod guide;
pub mod interactive;
mod narrate;

pub use crate::trace::{Message, messages};
pub use guide::{Guide, Pick, Random, Script, Stop, run};
pub use narrate::{Narrator, Shown};

use crate::limits::{self, Cancellation};
use crate::machine::{Fault, Machine, Move, Pid};
use crate::trace::{Ending, Rest};
use promela_lite::program::Program;
use std::sync::Arc;

/// Where a simulation stands. Kept by callers that want to come back to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The state.
    pub state: Vec<u8>,
    /// The process that has exclusive control.
    pub control: Option<Pid>,
    /// How many moves led here.
    pub moves: usize,
    /// How many processes were created on the way.
    pub created: usize,
}

/// What can happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The moves that can be made.
    pub moves: Vec<Move>,
    /// Whether they are possible only because nothing else is.
    pub timeout: bool,
    /// A guard that cannot be evaluated, with its move.
    pub fault: Option<(Move, Fault)>,
}

/// What happened when a move was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// The move.
    pub mv: Move,
    /// Whether it was possible only because nothing else was.
    pub timeout: bool,
    /// What the model printed, one piece per statement.
    pub printed: Vec<String>,
    /// What went wrong.
    pub fault: Option<Fault>,
    /// Whether the move was made all the same.
    pub moved: bool,
}

/// A run in progress.
#[derive(Clone, Debug)]
pub struct Simulator {
    machine: Machine,
    cancellation: Cancellation,
    now: Position,
    /// The state before the last move.
    before: Vec<u8>,
}

impl Simulator {
    /// Begins in the initial state.
    pub fn start(program: Arc<Program>) -> Result<Simulator, Fault> {
        let mut machine = Machine::new(program);
        let mut state = Vec::new();
        machine.initial(&mut state)?;
        machine.collect_output(true);
        let created = machine.nr_processes(&state);
        Ok(Simulator {
            machine,
            cancellation: Cancellation::default(),
            before: state.clone(),
            now: Position {
                state,
                control: None,
                moves: 0,
                created,
            },
        })
    }

    /// The same, which is given up when that says so.
    pub fn with_cancellation(mut self, cancellation: &Cancellation) -> Simulator {
        self.machine.set_cancellation(cancellation);
        self.cancellation = cancellation.clone();
        self
    }

    /// Why it is to be given up now, if it is.
    pub fn is_given_up(&self) -> Option<limits::Stop> {
        self.cancellation.poll()
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Where the run stands.
    pub fn now(&self) -> &Position {
        &self.now
    }

    /// The state before the last move.
    pub fn before(&self) -> &[u8] {
        &self.before
    }

    /// Goes back to a position of this run.
    pub fn go_to(&mut self, position: Position) {
        self.before.clone_from(&position.state);
        self.now = position;
    }

    /// What can happen now.
    pub fn choices(&mut self) -> Choices {
        let mut moves = Vec::new();
        let listed = self
            .machine
            .moves(&self.now.state, self.now.control, &mut moves);
        // Finding out whether a `d_step` is executable may have executed it.
        self.machine.take_output();
        match listed {
            Ok(info) => Choices {
                moves,
                timeout: info.timeout,
                fault: None,
            },
            Err(fault) => Choices {
                moves,
                timeout: false,
                fault: Some(fault),
            },
        }
    }

    /// Makes one of the moves that can be made.
    pub fn make(&mut self, mv: Move, timeout: bool) -> Happened {
        self.before.clone_from(&self.now.state);
        let result = self
            .machine
            .apply(&self.before, mv, timeout, &mut self.now.state);
        let fault = result.err();
        let moved = fault.as_ref().is_none_or(|f| f.kind.leaves_successor());
        if moved {
            self.now.control = self.machine.last_step().control;
            let nr = |state: &[u8]| self.machine.nr_processes(state);
            // A process that ends does nothing else in that move.
            self.now.created += nr(&self.now.state).saturating_sub(nr(&self.before));
            self.now.moves += 1;
        } else {
            self.now.state.clone_from(&self.before);
        }
        Happened {
            mv,
            timeout,
            printed: self.machine.take_output(),
            fault,
            moved,
        }
    }

    /// What the run has come to if it goes no further.
    pub fn ending(&mut self) -> Ending {
        let choices = self.choices();
        match choices.fault {
            Some((_, fault)) => Ending::of(fault),
            None if !choices.moves.is_empty() => Ending::at(Rest::Open),
            None if self.machine.is_valid_end(&self.now.state) => Ending::at(Rest::ValidEnd),
            None => Ending::at(Rest::InvalidEnd),
        }
    }

    /// The messages that the last move, which was `mv`, sent and received.
    pub fn messages(&mut self, mv: Move) -> Vec<Message> {
        messages(&mut self.machine, &self.before, mv)
    }
}
