//! Optimal dynamic partial-order reduction: one execution per Mazurkiewicz trace.
//!
//! Abdulla, Aronsson, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL 2014
//! (journal version: "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM
//! 2017). At the end of each execution every race is reversed: the sequence that does so is
//! inserted into the wakeup tree of the state before the race, unless a sleeping step is a weak
//! initial of it, which means that it was explored already. When a state is returned to, the first
//! branch of its tree is executed to its leaf, and from there on threads are chosen freely.
//!
//! Choices of data: a step that can be executed in several ways is one step per way. When it is
//! executed first, the other ways are inserted as sequences of one step, under the same conditions
//! as any sequence. What a step depends on must not depend on the way it is executed.
//!
//! At a leaf the sleep set is empty, so no execution is blocked by it; the explorer counts those
//! that are, and tests require none. The memory is that of the wakeup trees along one execution.

use super::wakeup::{self, Branch};
use super::{Asleep, Enabled, Strategy, awake, explored, is_asleep, pass_on, prefer_last};
use crate::execution::{Execution, Position};
use crate::fault::Fault;
use crate::races::{self, Place, Predicted, Sequence};
use crate::system::{Pending, System, Thread};

/// A state along the current execution.
#[derive(Default)]
struct Node {
    sleep: Vec<Asleep>,
    tree: Vec<Branch>,
}

impl Node {
    fn insert(&mut self, x: &Execution, sequence: Sequence) {
        let redundant = |s: &Asleep| {
            sequence.place(x, s.thread, Some(s.choice), &s.operation) != Place::Conflict
        };
        if !self.sleep.iter().any(redundant) {
            wakeup::insert(x, &mut self.tree, sequence);
        }
    }
}

/// The strategy.
pub(crate) struct Optimal {
    /// One per position.
    nodes: Vec<Node>,
    /// What remains of the branch that is being executed.
    rest: Vec<Branch>,
}

impl Optimal {
    pub(crate) fn new() -> Self {
        Optimal {
            nodes: vec![Node::default()],
            rest: Vec::new(),
        }
    }
}

impl<S: System> Strategy<S> for Optimal {
    fn pick(&mut self, system: &S, x: &Execution, enabled: &[Enabled]) -> Option<(Thread, u32)> {
        let node = self.nodes.last_mut()?;
        let (step, choice) = if node.tree.is_empty() {
            let step = prefer_last(x, enabled, |e| awake(&node.sleep, e).is_some())?;
            (step, awake(&node.sleep, step)?)
        } else {
            let branch = node.tree.remove(0);
            self.rest = branch.children;
            let step = enabled.iter().find(|e| e.thread == branch.thread);
            let step = *step.expect("a wakeup sequence is executable");
            (step, branch.choice.or_else(|| awake(&node.sleep, step))?)
        };
        if let Pending::Operation { operation, .. } = system.pending(step.thread)
            && step.choices > 1
            && x.fault != Some(Fault::DropChoice)
        {
            let resolved = operation.resolve(|object| system.value(object));
            let operation = resolved.expect("the operation is enabled");
            for other in (0..step.choices).filter(|&c| c != choice) {
                if is_asleep(&node.sleep, step.thread, other) {
                    continue;
                }
                let last = Predicted {
                    thread: step.thread,
                    local: x.local_count(step.thread, x.len()),
                    choice: Some(other),
                    operation: operation.clone(),
                };
                let sequence = Sequence {
                    position: x.len(),
                    events: Vec::new(),
                    last: Some(last),
                };
                node.insert(x, sequence);
            }
        }
        Some((step.thread, choice))
    }

    fn stepped(&mut self, x: &Execution) {
        let sleep = self.nodes.last().map(|node| pass_on(&node.sleep, x));
        self.nodes.push(Node {
            sleep: sleep.unwrap_or_default(),
            tree: std::mem::take(&mut self.rest),
        });
    }

    fn ended(&mut self, x: &Execution) {
        races::for_each(x, |sequence| {
            self.nodes[sequence.position].insert(x, sequence);
        });
    }

    fn next(&mut self, x: &Execution) -> Option<Position> {
        loop {
            self.nodes.pop()?;
            let position = self.nodes.len().checked_sub(1)?;
            let node = &mut self.nodes[position];
            node.sleep.push(explored(x, position));
            if !node.tree.is_empty() {
                return Some(position);
            }
        }
    }
}
