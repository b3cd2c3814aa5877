//! The plainest search there is, counting as SPIN counts: the slow twin of all others.

use ample::internals::machine::{Fault, Machine, Move, Pid};
use promela_lite::program::Program;
use std::collections::HashSet;
use std::sync::Arc;

/// What a full search saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// States that were new.
    pub(crate) stored: usize,
    /// Lookups that found the state.
    pub(crate) matched: usize,
    /// Steps after which a process kept control.
    pub(crate) atomic: usize,
    /// End states that are not valid.
    pub(crate) deadlocks: usize,
    /// Violations and errors of the model.
    pub(crate) faults: Vec<Fault>,
}

/// Visits all reachable states, going on behind violations.
pub(crate) fn explore(program: impl Into<Arc<Program>>) -> Counts {
    let mut machine = Machine::new(program.into());
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    let mut todo: Vec<(Vec<u8>, Option<Pid>)> = Vec::new();
    let mut first = Vec::new();
    machine
        .initial(&mut first)
        .expect("the initial state exists");
    todo.push((first, None));
    let mut moves: Vec<Move> = Vec::new();
    let mut lookup = |counts: &mut Counts, state: &[u8]| {
        let new = seen.insert(state.to_vec());
        match new {
            true => counts.stored += 1,
            false => counts.matched += 1,
        }
        new
    };
    while let Some((state, control)) = todo.pop() {
        let stored = machine.stored_len(&state);
        if control.is_none() && !lookup(&mut counts, &state[..stored]) {
            continue;
        }
        let info = match machine.moves(&state, control, &mut moves) {
            Ok(info) => info,
            Err((_, fault)) => {
                counts.faults.push(fault);
                Default::default()
            }
        };
        if info.control_lost && !lookup(&mut counts, &state[..stored]) {
            continue;
        }
        if moves.is_empty() && !machine.is_valid_end(&state) {
            counts.deadlocks += 1;
        }
        for &mv in moves.iter().rev() {
            let mut next = Vec::new();
            let step = match machine.apply(&state, mv, info.timeout, &mut next) {
                Ok(step) => step,
                Err(fault) => {
                    let goes_on = fault.kind.leaves_successor();
                    counts.faults.push(fault);
                    if !goes_on {
                        continue;
                    }
                    machine.last_step()
                }
            };
            counts.atomic += usize::from(step.control.is_some());
            todo.push((next, step.control));
        }
    }
    counts
}
