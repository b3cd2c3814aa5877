//! The plain machine within a bound on contexts: who moved last, and how many contexts there were, are part of the state.
//!
//! A context is a maximal part of a run in which one process moves. In a rendezvous the sender moves and then the receiver, each
//! in its context. A guard that fails is a step of the process whose guard it is. Where a move is left out for the sake of
//! the bound, [`Contexts::cut`] says so: what was searched is then not all there is.

use super::{AmpleSets, Failure, MoveInfo, Parallel, Space, System};
use crate::limits::Cancellation;
use crate::machine::{Fault, Move, Pid, Step};
use promela_lite::program::Program;
use std::sync::Arc;

/// Bytes before those of the machine: the number of contexts, and one more than the pid of who moved last.
const FRONT: usize = 4;

/// The program within a bound on contexts.
#[derive(Clone, Debug)]
pub struct Contexts {
    system: System,
    bound: u16,
    cut: bool,
}

impl Contexts {
    /// The runs of a program with at most `bound` contexts.
    pub fn new(program: Arc<Program>, bound: usize) -> Contexts {
        Contexts {
            system: System::behind(program, FRONT),
            bound: u16::try_from(bound).unwrap_or(u16::MAX),
            cut: false,
        }
    }

    /// The same, whose steps can be given up.
    pub fn with_cancellation(mut self, cancellation: &Cancellation) -> Contexts {
        self.system = self.system.with_cancellation(cancellation);
        self
    }

    /// Whether moves were left out.
    pub fn cut(&self) -> bool {
        self.cut
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The number of contexts with a move, and who moves last in it.
    fn after(state: &[u8], mv: Move) -> (u16, u16) {
        let contexts = u16::from_le_bytes([state[0], state[1]]);
        let last = u16::from_le_bytes([state[2], state[3]]);
        let number = |pid: Pid| pid.0.saturating_add(1);
        let first = contexts.saturating_add(u16::from(number(mv.pid) != last));
        match mv.partner {
            None => (first, number(mv.pid)),
            Some((partner, _)) => (first.saturating_add(1), number(partner)),
        }
    }

    fn allows(&self, state: &[u8], mv: Move) -> bool {
        Contexts::after(state, mv).0 <= self.bound
    }

    /// The first failure, in the order of the machine, that is within the bound: each process is asked alone.
    #[cold]
    fn failure(&mut self, state: &[u8], timeout_of: (Move, Fault)) -> Option<(Move, Fault)> {
        if self.allows(state, timeout_of.0) {
            return Some(timeout_of);
        }
        let mut own = Vec::new();
        for pid in (0..self.system.machine().nr_processes(state)).rev() {
            let pid = Pid(pid as u16);
            match self.system.moves(state, Some(pid), &mut own) {
                Err((mv, fault)) if mv.pid == pid && self.allows(state, mv) => {
                    return Some((mv, fault));
                }
                _ => {}
            }
        }
        self.cut = true;
        None
    }
}

impl Space for Contexts {
    type Move = Move;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.system.initial(out)
    }

    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<Move>,
    ) -> Result<MoveInfo, (Move, Fault)> {
        let listed = self.system.moves(state, control, out);
        let all = out.len();
        let bound = self.bound;
        out.retain(|mv| Contexts::after(state, *mv).0 <= bound);
        self.cut |= out.len() < all;
        let failed = match listed {
            Ok(info) => return Ok(info),
            Err(failed) => failed,
        };
        let kept = out.clone();
        let failed = self.failure(state, failed);
        *out = kept;
        failed.map_or(Ok(MoveInfo::default()), Err)
    }

    fn apply(
        &mut self,
        state: &[u8],
        mv: Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let result = self.system.apply(state, mv, timeout, next);
        let (contexts, last) = Contexts::after(state, mv);
        if next.len() >= FRONT {
            next[..2].copy_from_slice(&contexts.to_le_bytes());
            next[2..FRONT].copy_from_slice(&last.to_le_bytes());
        }
        result
    }

    fn settle(&mut self, state: &mut Vec<u8>) -> Result<bool, Fault> {
        self.system.settle(state)
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        self.system.stored_len(state)
    }

    /// At the bound nothing can happen and nothing is wrong: end states are not looked at.
    fn stuck_at(&self, _: &[u8]) -> Option<Vec<u32>> {
        None
    }
}

impl AmpleSets for Contexts {
    /// A move of another process is another context: moves of different processes are never independent.
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

    fn findings(&self) -> Vec<u64> {
        self.system.findings()
    }

    fn restore(&mut self, findings: &[u64]) {
        self.system.restore(findings);
    }
}

impl Parallel for Contexts {
    fn take_over(&mut self, other: Contexts) {
        self.cut |= other.cut;
        self.system.take_over(other.system);
    }
}
