//! Hand-made spaces for testing strategies without a front end.
//!
//! A toy is a number of processes over a few bytes. Its transition relation is a plain function, so the test
//! can compute what is reachable in the most obvious way and compare.

use crate::fairness::NumberSet;
use crate::machine::{Fault, FaultKind, Pid, Step};
use crate::space::{AmpleSets, Failure, MoveInfo, Parallel, Space, Transition};
use promela_lite::source::Span;

/// One outcome of a toy's step function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Way {
    pub(super) next: Vec<u8>,
    /// The process keeps control.
    pub(super) atomic: bool,
    /// The move violates an assertion at this position.
    pub(super) assertion: Option<u32>,
}

/// A move of a toy: process and number of the way.
pub(super) type ToyMove = (Pid, u32);

impl Transition for ToyMove {
    fn add_movers(self, into: &mut NumberSet) {
        into.insert(usize::from(self.0.0));
    }
}

/// A space given by a function from (state, process) to ways.
pub(super) struct Toy<F> {
    pub(super) processes: u16,
    pub(super) first: Vec<u8>,
    /// Bytes at the end that are not stored.
    pub(super) hidden: usize,
    pub(super) valid_end: fn(&[u8]) -> bool,
    pub(super) ways: F,
}

impl<F: Fn(&[u8], u16) -> Vec<Way>> Toy<F> {
    fn list(&self, state: &[u8], pid: u16, out: &mut Vec<ToyMove>) {
        out.extend((0..(self.ways)(state, pid).len() as u32).map(|i| (Pid(pid), i)));
    }
}

impl<F: Fn(&[u8], u16) -> Vec<Way>> Space for Toy<F> {
    type Move = ToyMove;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clone_from(&self.first);
        Ok(())
    }

    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<ToyMove>,
    ) -> Result<MoveInfo, (ToyMove, Fault)> {
        let before = out.len();
        if let Some(pid) = control {
            self.list(state, pid.0, out);
            if out.len() > before {
                return Ok(MoveInfo::default());
            }
        }
        for pid in (0..self.processes).rev() {
            self.list(state, pid, out);
        }
        Ok(MoveInfo {
            timeout: false,
            control_lost: control.is_some(),
        })
    }

    fn apply(
        &mut self,
        state: &[u8],
        (pid, way): ToyMove,
        _: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let way = (self.ways)(state, pid.0).swap_remove(way as usize);
        *next = way.next;
        let step = Step {
            control: way.atomic.then_some(pid),
        };
        match way.assertion {
            None => Ok(step),
            Some(at) => {
                let span = Span {
                    lo: at,
                    hi: at,
                    ..Span::NONE
                };
                Err(Failure {
                    fault: Fault {
                        kind: FaultKind::Assertion,
                        span,
                    },
                    step: Some(step),
                })
            }
        }
    }

    fn settle(&mut self, _: &mut Vec<u8>) -> Result<bool, Fault> {
        Ok(true)
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        state.len() - self.hidden
    }

    fn stuck_at(&self, state: &[u8]) -> Option<Vec<u32>> {
        let at = || state.iter().map(|&b| u32::from(b)).collect();
        (!(self.valid_end)(state)).then(at)
    }
}

impl<F: Fn(&[u8], u16) -> Vec<Way>> AmpleSets for Toy<F> {
    fn reduces(&self) -> bool {
        false
    }

    fn ample(&mut self, _: &[u8], _: &mut Vec<Self::Move>, _: usize) -> Option<usize> {
        None
    }

    fn ample_with(&mut self, _: &[u8], _: &[Self::Move], _: Pid) -> Option<usize> {
        None
    }

    fn planned(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn refused(&mut self, _: &[u8], _: &[Self::Move]) {}

    /// Nothing that matters to a search.
    fn findings(&self) -> Vec<u64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u64]) {}
}

impl<F: Fn(&[u8], u16) -> Vec<Way> + Send> Parallel for Toy<F> {
    fn take_over(&mut self, _: Self) {}
}
