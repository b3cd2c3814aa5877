//! Following a run to look at its states.

use crate::machine::{Machine, Move, Pid, Run};
use promela_lite::program::Program;
use std::sync::Arc;

/// A state of a run.
pub(super) struct Stop<'a> {
    /// How many moves were made.
    pub(super) made: usize,
    /// Whether no move can be made after it.
    pub(super) is_last: bool,
    /// The state.
    pub(super) state: &'a [u8],
    /// The process that has control.
    pub(super) control: Option<Pid>,
    /// A machine of that program.
    pub(super) machine: &'a mut Machine,
}

/// Shows the states of a run, the initial one first, for as long as `see` wants more. It ends before a move that fails.
pub(super) fn walk(program: &Arc<Program>, path: &[Move], see: &mut dyn FnMut(Stop<'_>) -> bool) {
    let Ok(mut run) = Run::start(program) else {
        return;
    };
    let mut machine = run.machine.clone();
    for index in 0..=path.len() {
        let next = path.get(index).copied();
        let _ = run.list();
        let state = run.state().to_vec();
        let control = run.control();
        let moved = next.is_some_and(|mv| run.moves().contains(&mv) && run.make(mv).moved);
        let more = see(Stop {
            made: index,
            is_last: !moved,
            state: &state,
            control,
            machine: &mut machine,
        });
        if !moved || !more {
            return;
        }
    }
}
