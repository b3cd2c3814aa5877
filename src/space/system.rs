//! The plain machine as a space: the innermost layer of every search.
//!
//! Besides handing calls through, it keeps the coverage, so that no strategy has to know about it.

use super::{AmpleSets, Failure, MoveInfo, Parallel, Space};
use crate::coverage::Coverage;
use crate::limits::Cancellation;
use crate::machine::{Fault, Look, Machine, Move, Pid, Step};
use crate::reduce::{Ample, Visible};
use promela_lite::program::{EdgeId, Program};
use std::sync::Arc;

/// A machine, and what it has executed.
#[derive(Clone, Debug)]
pub struct System {
    machine: Machine,
    coverage: Coverage,
    ample: Option<Ample>,
}

impl System {
    /// The space of a program's states.
    pub fn new(program: Arc<Program>) -> System {
        let coverage = Coverage::new(&program);
        System {
            machine: Machine::new(program),
            coverage,
            ample: None,
        }
    }

    /// The same, for states that begin with so many bytes of a layer around it.
    pub(super) fn behind(program: Arc<Program>, front: usize) -> System {
        System {
            machine: Machine::behind(Arc::clone(&program), front),
            ..System::new(program)
        }
    }

    /// The same, reduced for safety where that is sound.
    pub fn reduced(program: Arc<Program>) -> System {
        System::new(program).reduce(&Cancellation::default())
    }

    /// The same, reduced for safety where that is sound, unless finding out how is given up.
    pub fn reduce(self, cancellation: &Cancellation) -> System {
        let program = self.machine.program();
        let ample = Ample::sound(program, || Visible::nothing(program), cancellation);
        System { ample, ..self }
    }

    /// The same, with those ample sets.
    pub fn with_ample(program: Arc<Program>, ample: Option<Ample>) -> System {
        System::new(program).with_sets(ample)
    }

    /// The same, with those ample sets.
    pub fn with_sets(self, ample: Option<Ample>) -> System {
        System { ample, ..self }
    }

    /// The same, whose steps can be given up.
    pub fn with_cancellation(mut self, cancellation: &Cancellation) -> System {
        self.machine.set_cancellation(cancellation);
        self
    }

    /// The same, whose ample sets are found by way of stubborn sets.
    pub fn with_stubborn(mut self) -> System {
        let program = self.machine.program();
        self.ample = self.ample.map(|ample| ample.with_stubborn(program));
        self
    }

    /// Keeps account of states that are not reduced.
    pub fn with_account(mut self) -> System {
        self.ample = self.ample.map(Ample::with_account);
        self
    }

    /// Whether some process is at an `accept` label.
    pub fn some_process_accepts(&mut self, state: &[u8]) -> bool {
        let program = Arc::clone(self.machine.shared_program());
        let look = self.machine.look(state);
        (0..look.processes()).any(|pid| {
            let (proctype, loc) = look.process(Pid(pid as u16));
            program.proctypes[proctype.index()].graph.locations[loc.index()].accept
        })
    }

    /// The ample sets, if the search is reduced.
    pub fn ample(&self) -> Option<&Ample> {
        self.ample.as_ref()
    }

    /// The ample sets, taken out.
    pub fn into_ample(self) -> Option<Ample> {
        self.ample
    }

    /// Looks at a state.
    pub fn look<'a>(&'a mut self, state: &'a [u8]) -> Look<'a> {
        self.machine.look(state)
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What has been executed so far.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    #[cold]
    fn failure(&self, fault: Fault) -> Failure {
        let complete = fault.kind.leaves_successor();
        Failure {
            fault,
            step: complete.then(|| self.machine.last_step()),
        }
    }

    #[inline]
    fn cover(&mut self, pid: Pid, edge: EdgeId) {
        self.coverage.mark(self.machine.mover(pid), edge);
    }
}

impl Space for System {
    type Move = Move;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.machine.initial(out)
    }

    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<Move>,
    ) -> Result<MoveInfo, (Move, Fault)> {
        let info = self.machine.moves(state, control, out)?;
        Ok(info)
    }

    #[inline]
    fn apply(
        &mut self,
        state: &[u8],
        mv: Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let result = self.machine.apply(state, mv, timeout, next);
        self.cover(mv.pid, mv.edge);
        if let Some((pid, edge)) = mv.partner {
            self.cover(pid, edge);
        }
        match result {
            Ok(step) => Ok(step),
            Err(fault) => Err(self.failure(fault)),
        }
    }

    fn settle(&mut self, _: &mut Vec<u8>) -> Result<bool, Fault> {
        Ok(true)
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        self.machine.stored_len(state)
    }

    fn stuck_at(&self, state: &[u8]) -> Option<Vec<u32>> {
        if self.machine.is_valid_end(state) {
            return None;
        }
        let view = self.machine.view(state);
        let stuck = view.processes().filter(|p| !p.location().end);
        let mut places: Vec<(u32, u32)> = stuck
            .map(|p| (u32::from(p.proctype_id().0), p.loc().0))
            .collect();
        places.sort_unstable();
        let places = places.into_iter();
        Some(places.flat_map(|(proctype, loc)| [proctype, loc]).collect())
    }
}

impl AmpleSets for System {
    fn reduces(&self) -> bool {
        self.ample.is_some()
    }

    fn ample(&mut self, state: &[u8], moves: &mut Vec<Move>, index: usize) -> Option<usize> {
        let chooser = self.ample.as_mut()?;
        chooser.choose(&mut self.machine, state, moves, index)
    }

    fn ample_with(&mut self, state: &[u8], moves: &[Move], pid: Pid) -> Option<usize> {
        let chooser = self.ample.as_mut()?;
        chooser.index_with(&mut self.machine, state, moves, pid)
    }

    /// Only products follow precomputed ample sets.
    fn planned(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn refused(&mut self, state: &[u8], moves: &[Move]) {
        if let Some(chooser) = &mut self.ample {
            chooser.refused(&mut self.machine, state, moves);
        }
    }

    fn findings(&self) -> Vec<u64> {
        self.coverage.findings()
    }

    fn restore(&mut self, findings: &[u64]) {
        self.coverage.restore(findings);
    }
}

impl Parallel for System {
    fn take_over(&mut self, other: System) {
        self.coverage.take_over(&other.coverage);
    }
}
