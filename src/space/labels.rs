//! `accept` labels in processes: a cycle through a state in which some process is at one is a violation.
//!
//! There is no automaton; steps into and out of such labels are the visible ones.

use super::fairness::ProgramFairness;
use super::{Accepting, AmpleSets, Failure, Fair, MoveInfo, Parallel, Space, System};
use crate::fairness::{Constraints, Fairness, NumberSet};
use crate::limits::Cancellation;
use crate::machine::{Fault, Move, Pid, Step};
use crate::reduce::{Ample, Visible};
use promela_lite::program::Program;
use std::sync::Arc;

/// The program, its accept labels being looked at.
#[derive(Clone, Debug)]
pub struct Labels {
    system: System,
    fairness: ProgramFairness,
}

impl Labels {
    /// Looks at the labels of a program; reduced for that if asked for and sound.
    pub fn new(program: Arc<Program>, reduced: bool) -> Labels {
        let labels = Labels {
            system: System::new(program),
            fairness: ProgramFairness::default(),
        };
        match reduced {
            true => labels.reduce(&Cancellation::default()),
            false => labels,
        }
    }

    /// The same, reduced where that is sound, unless finding out how is given up.
    pub fn reduce(mut self, cancellation: &Cancellation) -> Labels {
        let program = self.system.machine().program();
        let ample = Ample::sound(program, || Visible::acceptance(program), cancellation);
        self.system = self.system.with_sets(ample);
        self
    }

    /// The same, whose steps can be given up.
    pub fn with_cancellation(mut self, cancellation: &Cancellation) -> Labels {
        self.system = self.system.with_cancellation(cancellation);
        self
    }

    /// The same, whose ample sets are found by way of stubborn sets.
    pub fn with_stubborn(mut self) -> Labels {
        self.system = self.system.with_stubborn();
        self
    }

    /// Keeps account of states that are not reduced.
    pub fn with_account(mut self) -> Labels {
        self.system = self.system.with_account();
        self
    }

    /// The same, where only fair runs count.
    pub fn with_fairness(mut self, fairness: &Fairness) -> Labels {
        self.fairness = ProgramFairness::new(self.system.machine().program(), fairness);
        self
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Whether a program has any.
    pub fn any(program: &Program) -> bool {
        program
            .proctypes
            .iter()
            .flat_map(|p| &p.graph.locations)
            .any(|l| l.accept)
    }
}

impl Space for Labels {
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
        self.system.moves(state, control, out)
    }

    fn apply(
        &mut self,
        state: &[u8],
        mv: Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        match self.system.apply(state, mv, timeout, next) {
            // Assertions are checked by the search for safety violations.
            Err(Failure {
                step: Some(step), ..
            }) => Ok(step),
            other => other,
        }
    }

    fn settle(&mut self, state: &mut Vec<u8>) -> Result<bool, Fault> {
        self.system.settle(state)
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        self.system.stored_len(state)
    }

    fn stuck_at(&self, state: &[u8]) -> Option<Vec<u32>> {
        self.system.stuck_at(state)
    }
}

impl AmpleSets for Labels {
    fn reduces(&self) -> bool {
        self.system.reduces()
    }

    fn ample(&mut self, state: &[u8], moves: &mut Vec<Move>, index: usize) -> Option<usize> {
        AmpleSets::ample(&mut self.system, state, moves, index)
    }

    fn ample_with(&mut self, state: &[u8], moves: &[Move], pid: Pid) -> Option<usize> {
        self.system.ample_with(state, moves, pid)
    }

    fn planned(&mut self, state: &[u8]) -> Option<u32> {
        self.system.planned(state)
    }

    fn refused(&mut self, state: &[u8], moves: &[Move]) {
        self.system.refused(state, moves);
    }

    fn findings(&self) -> Vec<u64> {
        self.system.findings()
    }

    fn restore(&mut self, findings: &[u64]) {
        self.system.restore(findings);
    }
}

impl Parallel for Labels {
    fn take_over(&mut self, other: Labels) {
        self.system.take_over(other.system);
    }
}

impl Fair for Labels {
    fn shows_enabledness(&self, _: &[u8]) -> bool {
        true
    }

    fn actions(&mut self, state: &[u8], first: Move, movers: &NumberSet, into: &mut NumberSet) {
        let look = self.system.look(state);
        self.fairness.actions(&look, first, movers, into);
    }

    fn constraints(&mut self, state: &[u8], enabled: &NumberSet) -> Constraints {
        self.fairness.constraints(&self.system.look(state), enabled)
    }

    fn satisfied(&self, actions: &NumberSet, constraints: &NumberSet) -> NumberSet {
        self.fairness.satisfied(actions, constraints)
    }
}

impl Accepting for Labels {
    fn is_accepting(&mut self, state: &[u8]) -> bool {
        self.system.some_process_accepts(state)
    }

    fn is_weak(&self) -> bool {
        false
    }

    /// Any state may lie on a cycle.
    fn is_transient(&self, _: &[u8]) -> bool {
        false
    }
}
