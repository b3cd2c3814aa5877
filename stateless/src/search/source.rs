//! Source-DPOR: races decide which threads are explored from a state, and sleep sets prune.
//!
//! Abdulla et al., POPL 2014, Algorithm 1. For every race some initial of the sequence that
//! reverses it must be among the selected threads of the state before it. Every trace is explored,
//! but an execution may turn out to be redundant on the way: it is then blocked by its sleep set.

use super::Enabled;
use super::selective::{Node, Policy};
use crate::execution::Execution;
use crate::races::{self, Place};
use crate::system::{System, Thread};

/// Selects one thread, and more as races show.
pub(crate) struct Source;

impl<S: System> Policy<S> for Source {
    const SLEEP: bool = true;

    fn select(&mut self, _: &S, _: &Execution, _: &[Enabled], first: Thread) -> Vec<Thread> {
        vec![first]
    }

    fn ended(&mut self, system: &S, x: &Execution, nodes: &mut [Node]) {
        races::for_each(x, system, |sequence| {
            let node = &mut nodes[sequence.position];
            let is_first = |thread: Thread| {
                let nothing = crate::Operation::local();
                let place = sequence.place(x, thread, None, &nothing);
                matches!(place, Place::First(_) | Place::Last)
            };
            if node.selected.iter().any(|&t| is_first(t)) {
                return;
            }
            let first = match sequence.events.first() {
                Some(&event) => x.event(event as usize).thread,
                None => match &sequence.last {
                    Some(last) => last.thread,
                    None => return,
                },
            };
            node.selected.push(first);
        });
    }
}
