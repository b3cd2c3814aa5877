//! Runs of the machine up to the point where no continuation satisfies a formula: a space whose only violation is that point.
//!
//! A state is that of the machine with, in front of it, where an automaton for the formula may be after the letters so far, as a
//! number: the subset construction, made as far as it is needed. A state in which that is nowhere is reported as a fault
//! ([`is_bad`]). Nothing is reduced: the fewest steps to such a state are asked for.

use super::{AmpleSets, Failure, MoveInfo, Space};
use crate::limits::Cancellation;
use crate::machine::{Fault, FaultKind, Machine, Move, Pid, Step};
use crate::property::{Property, StateCondition};
use ltl::StateId;
use ltl::prefix::Prefixes;
use promela_lite::program::Program;
use promela_lite::source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bytes in front: the number of the set, and whether the letter of the state has been read.
const FRONT: usize = 3;

/// Stands for the point after which there is no hope. No trace of a model has that place.
const BAD: Fault = Fault {
    kind: FaultKind::Trace,
    span: Span::NONE,
};

/// Whether that is what was found.
pub(crate) fn is_bad(fault: &Fault) -> bool {
    *fault == BAD
}

/// A machine beside the prefixes of satisfying words.
pub(crate) struct BadPrefixes {
    machine: Machine,
    prefixes: Prefixes,
    atoms: Vec<StateCondition>,
    sets: Vec<Vec<StateId>>,
    numbers: FxHashMap<Vec<StateId>, u16>,
}

impl BadPrefixes {
    /// The prefixes of runs, read by an automaton for the property.
    pub(crate) fn new(
        program: &Arc<Program>,
        property: &Property,
        prefixes: Prefixes,
        cancellation: &Cancellation,
    ) -> BadPrefixes {
        let mut machine = Machine::behind(Arc::clone(program), FRONT);
        machine.set_cancellation(cancellation);
        let start = prefixes.start();
        BadPrefixes {
            machine,
            prefixes,
            atoms: property.atoms.clone(),
            sets: vec![start.clone()],
            numbers: FxHashMap::from_iter([(start, 0)]),
        }
    }

    /// Reads the letter of a state.
    fn read(&mut self, state: &mut [u8]) -> Result<(), Fault> {
        let mut letter = 0;
        for (index, atom) in self.atoms.iter().enumerate() {
            letter |= u64::from(atom.read(&mut self.machine, state)?.0) << index;
        }
        let number = u16::from_le_bytes([state[0], state[1]]);
        let next = self.prefixes.read(&self.sets[usize::from(number)], letter);
        if next.is_empty() {
            return Err(BAD);
        }
        let number = match self.numbers.get(&next) {
            Some(&number) => number,
            None => {
                let number = u16::try_from(self.sets.len()).map_err(|_| Fault {
                    kind: FaultKind::VectorTooLarge,
                    span: Span::NONE,
                })?;
                self.sets.push(next.clone());
                self.numbers.insert(next, number);
                number
            }
        };
        state[..2].copy_from_slice(&number.to_le_bytes());
        state[2] = 1;
        Ok(())
    }
}

impl Space for BadPrefixes {
    type Move = Move;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.machine.initial(out)?;
        self.read(out)
    }

    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<Move>,
    ) -> Result<MoveInfo, (Move, Fault)> {
        self.machine.moves(state, control, out)
    }

    fn apply(
        &mut self,
        state: &[u8],
        mv: Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let step = match self.machine.apply(state, mv, timeout, next) {
            Ok(step) => step,
            // Assertions are checked by the search for safety violations: the run continues after one that fails.
            Err(fault) if fault.kind.leaves_successor() => self.machine.last_step(),
            Err(fault) => return Err(Failure { fault, step: None }),
        };
        next[2] = 0;
        Ok(step)
    }

    fn settle(&mut self, state: &mut Vec<u8>) -> Result<bool, Fault> {
        match state[2] {
            0 => self.read(state).map(|()| true),
            _ => Ok(true),
        }
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        self.machine.stored_len(state)
    }

    fn stuck_at(&self, _: &[u8]) -> Option<Vec<u32>> {
        None
    }
}

impl AmpleSets for BadPrefixes {
    fn reduces(&self) -> bool {
        false
    }

    fn ample(&mut self, _: &[u8], _: &mut Vec<Move>, _: usize) -> Option<usize> {
        None
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
