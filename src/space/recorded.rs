//! A space that notes which moves of each state a search makes: all of them, or an ample set, and which.
//!
//! It stands between a search and a space and changes nothing. What a search decides shows in what it asks: an ample set that it
//! asked for last and did not refuse is the one whose moves it makes ([`AmpleSets`]). Thus a picture of a reduced graph has the
//! ample sets of the search itself, and not those of another computation.

use super::{Accepting, AmpleSets, Failure, MoveInfo, Space, split};
use crate::machine::{Fault, Pid, Step};
use rustc_hash::FxHashMap;

/// What is noted: for every state that was expanded, the number of the ample set whose moves were made, or none if all were.
pub(crate) type Decisions = FxHashMap<Box<[u8]>, Option<u32>>;

/// A space and what was asked of it.
pub(crate) struct Recorded<'s, P> {
    space: &'s mut P,
    decisions: Decisions,
}

impl<'s, P: Space> Recorded<'s, P> {
    /// Begins to note.
    pub(crate) fn new(space: &'s mut P) -> Recorded<'s, P> {
        Recorded {
            space,
            decisions: Decisions::default(),
        }
    }

    /// What was noted.
    pub(crate) fn into_decisions(self) -> Decisions {
        self.decisions
    }

    fn note(&mut self, state: &[u8], decision: Option<u32>) {
        let key = split(self.space, state).0;
        self.decisions.insert(key.into(), decision);
    }
}

impl<P: Space> Space for Recorded<'_, P> {
    type Move = P::Move;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.space.initial(out)
    }

    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<P::Move>,
    ) -> Result<MoveInfo, (P::Move, Fault)> {
        if control.is_none() {
            let key = split(self.space, state).0;
            self.decisions.entry(key.into()).or_insert(None);
        }
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

impl<P: AmpleSets> AmpleSets for Recorded<'_, P> {
    fn reduces(&self) -> bool {
        self.space.reduces()
    }

    fn ample(&mut self, state: &[u8], moves: &mut Vec<P::Move>, index: usize) -> Option<usize> {
        let count = self.space.ample(state, moves, index);
        if count.is_some() {
            self.note(state, Some(index as u32));
        }
        count
    }

    fn ample_with(&mut self, state: &[u8], moves: &[P::Move], pid: Pid) -> Option<usize> {
        self.space.ample_with(state, moves, pid)
    }

    fn planned(&mut self, state: &[u8]) -> Option<u32> {
        self.space.planned(state)
    }

    fn refused(&mut self, state: &[u8], moves: &[P::Move]) {
        self.note(state, None);
        self.space.refused(state, moves);
    }

    fn findings(&self) -> Vec<u64> {
        self.space.findings()
    }

    fn restore(&mut self, findings: &[u64]) {
        self.space.restore(findings);
    }
}

impl<P: Accepting> Accepting for Recorded<'_, P> {
    fn is_accepting(&mut self, state: &[u8]) -> bool {
        self.space.is_accepting(state)
    }

    fn is_weak(&self) -> bool {
        self.space.is_weak()
    }

    fn is_transient(&self, state: &[u8]) -> bool {
        self.space.is_transient(state)
    }
}
