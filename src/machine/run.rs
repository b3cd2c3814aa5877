//! One run of a program, move by move: the only place where a path of moves is executed.
//!
//! Confirmation, replay, the account of fairness and the expansion of merged steps all follow a path through a [`Run`].
//! It uses the plain machine and nothing of the searches.

use super::{Fault, Machine, Move, MoveInfo, Pid};
use promela_lite::program::Program;
use std::sync::Arc;

/// A run in progress.
#[derive(Debug)]
pub struct Run {
    /// The machine.
    pub machine: Machine,
    state: Vec<u8>,
    before: Vec<u8>,
    control: Option<Pid>,
    made: usize,
    moves: Vec<Move>,
    info: MoveInfo,
}

/// What came of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveResult {
    /// What went wrong.
    pub fault: Option<Fault>,
    /// Whether there is a successor all the same: see [`super::FaultKind::leaves_successor`].
    pub moved: bool,
}

impl Run {
    /// Begins in the initial state.
    pub fn start(program: &Arc<Program>) -> Result<Run, Fault> {
        let mut machine = Machine::new(Arc::clone(program));
        let mut state = Vec::new();
        machine.initial(&mut state)?;
        Ok(Run {
            machine,
            state,
            before: Vec::new(),
            control: None,
            made: 0,
            moves: Vec::new(),
            info: MoveInfo::default(),
        })
    }

    /// The state.
    pub fn state(&self) -> &[u8] {
        &self.state
    }

    /// What of the state is stored: what tells it from others.
    pub fn stored(&self) -> &[u8] {
        &self.state[..self.machine.stored_len(&self.state)]
    }

    /// The state before the last move.
    pub fn before(&self) -> &[u8] {
        &self.before
    }

    /// The process that has exclusive control, if one has.
    pub fn control(&self) -> Option<Pid> {
        self.control
    }

    /// How many moves have been made.
    pub fn made(&self) -> usize {
        self.made
    }

    /// Lists what can happen now; a fault belongs to the move whose guard it was met in, and the others are listed
    /// nevertheless.
    pub fn list(&mut self) -> Result<MoveInfo, (Move, Fault)> {
        self.moves.clear();
        self.info = MoveInfo::default();
        let info = self
            .machine
            .moves(&self.state, self.control, &mut self.moves)?;
        self.info = info;
        Ok(info)
    }

    /// What was listed.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Makes a move that was listed.
    pub fn make(&mut self, mv: Move) -> MoveResult {
        std::mem::swap(&mut self.state, &mut self.before);
        let result = self
            .machine
            .apply(&self.before, mv, self.info.timeout, &mut self.state);
        self.made += 1;
        let fault = result.err();
        let moved = fault.as_ref().is_none_or(|f| f.kind.leaves_successor());
        if moved {
            self.control = self.machine.last_step().control;
        } else {
            self.state.clone_from(&self.before);
        }
        MoveResult { fault, moved }
    }
}
