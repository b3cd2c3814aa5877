//! What processes can do next: the operation of each, and the ways in which it can be made.
//!
//! A way is a move, or an `atomic` sequence: all ways through one are listed, so that a choice inside it is a choice of
//! the step. A sequence that blocks ends there, and its process goes on from inside in a later step.

use super::processes::{Next, Processes, Way};
use crate::limits::Stop;
use crate::machine::{Machine, Move, Pid};
use ample_stateless::{Access, Kind, Object, Operation};
use promela_lite::program::EdgeId;

/// The most moves of an `atomic` sequence, and the most ways through one.
const CHAIN: usize = 10_000;

impl Processes<'_> {
    /// What the processes of a state are about to do.
    pub(super) fn look(&self, state: &[u8], processes: usize) -> Vec<Next> {
        let machine = &mut *self.machine.borrow_mut();
        let mut next: Vec<Next> = (0..processes)
            .map(|pid| Next {
                operation: self.operation(machine, state, Pid(pid as u16)),
                ways: Vec::new(),
            })
            .collect();
        let mut moves = Vec::new();
        let listed = machine.moves(state, None, &mut moves);
        let timeout = listed.as_ref().is_ok_and(|info| info.timeout);
        let failing = listed.err().map(|(mv, _)| mv);
        for mv in moves.into_iter().chain(failing) {
            let ways = &mut next[usize::from(mv.pid.0)].ways;
            self.extend(machine, state, (mv, timeout), &mut Vec::new(), ways);
        }
        next
    }

    fn operation(&self, machine: &mut Machine, state: &[u8], pid: Pid) -> Operation {
        let mut accessed = Vec::new();
        match &self.accesses {
            Some(accesses) => accesses.add(&machine.look(state), pid, &mut accessed),
            None => accessed.push((0, true)),
        }
        Operation::all(accessed.into_iter().map(|(object, changes)| {
            let kind = if changes { Kind::Update } else { Kind::Read };
            Access::new(Object(object), kind)
        }))
    }

    /// Whether the process that moves may keep control.
    fn keeps_control(&self, machine: &mut Machine, state: &[u8], mv: Move) -> bool {
        let look = machine.look(state);
        let atomic = |(pid, edge): (Pid, EdgeId)| {
            let (proctype, _) = look.process(pid);
            self.program.proctypes[proctype.index()].graph.edges[edge.index()].atomic
        };
        atomic((mv.pid, mv.edge)) || mv.partner.is_some_and(atomic)
    }

    /// Adds all ways that begin with the moves `before`, which lead to `state`, and then `mv`.
    fn extend(
        &self,
        machine: &mut Machine,
        state: &[u8],
        mv: (Move, bool),
        before: &mut Way,
        ways: &mut Vec<Way>,
    ) {
        if ways.len() >= CHAIN || before.len() >= CHAIN {
            self.give_up(Stop::Depth(CHAIN as u64));
            return;
        }
        before.push(mv);
        let mut goes_on = false;
        if self.keeps_control(machine, state, mv.0) {
            let mut next = Vec::new();
            // A fault shows when the way is taken.
            let control = match machine.apply(state, mv.0, mv.1, &mut next) {
                Ok(step) => step.control,
                Err(fault) if fault.kind.leaves_successor() => machine.last_step().control,
                Err(_) => None,
            };
            if control.is_some() {
                let mut moves = Vec::new();
                let listed = machine.moves(&next, control, &mut moves);
                let info = listed.as_ref().copied().unwrap_or_default();
                if !info.control_lost {
                    let failing = listed.err().map(|(mv, _)| mv);
                    for mv in moves.into_iter().chain(failing) {
                        goes_on = true;
                        self.extend(machine, &next, (mv, info.timeout), before, ways);
                    }
                }
            }
        }
        if !goes_on {
            ways.push(before.clone());
        }
        before.pop();
    }
}
