//! A space that begins elsewhere: the rest is that of another one.

use super::{AmpleSets, Failure, MoveInfo, Space};
use crate::machine::{Fault, Pid, Step};

/// A space that begins elsewhere.
pub(crate) struct Rooted<'s, P> {
    pub(crate) space: &'s mut P,
    pub(crate) root: Vec<u8>,
}

impl<P: Space> Space for Rooted<'_, P> {
    type Move = P::Move;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clone_from(&self.root);
        Ok(())
    }

    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<P::Move>,
    ) -> Result<MoveInfo, (P::Move, Fault)> {
        self.space.moves(state, control, out)
    }

    fn apply(
        &mut self,
        state: &[u8],
        mv: P::Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        self.space.apply(state, mv, timeout, next)
    }

    fn settle(&mut self, state: &mut Vec<u8>) -> Result<bool, Fault> {
        self.space.settle(state)
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        self.space.stored_len(state)
    }

    fn stuck_at(&self, state: &[u8]) -> Option<Vec<u32>> {
        self.space.stuck_at(state)
    }
}

impl<P: AmpleSets> AmpleSets for Rooted<'_, P> {
    fn reduces(&self) -> bool {
        self.space.reduces()
    }

    fn ample(&mut self, state: &[u8], moves: &mut Vec<P::Move>, index: usize) -> Option<usize> {
        self.space.ample(state, moves, index)
    }

    fn ample_with(&mut self, state: &[u8], moves: &[P::Move], pid: Pid) -> Option<usize> {
        self.space.ample_with(state, moves, pid)
    }

    fn planned(&mut self, state: &[u8]) -> Option<u32> {
        self.space.planned(state)
    }

    fn refused(&mut self, state: &[u8], moves: &[P::Move]) {
        self.space.refused(state, moves);
    }

    fn findings(&self) -> Vec<u64> {
        self.space.findings()
    }

    fn restore(&mut self, findings: &[u64]) {
        self.space.restore(findings);
    }
}
