//! Wakeup trees: sequences that must still be explored from a state, as an ordered tree of steps.
//!
//! A sequence is inserted only if no path through the tree already leads to a place from which an
//! equivalent of it will be explored: the tree is descended along steps that are weak initials of
//! the sequence, and if that ends at a leaf, nothing is added. Otherwise the rest of the sequence
//! becomes a new last branch. So no branch is ever redundant because of an earlier one, which is
//! why no execution is blocked by sleep sets.

use crate::execution::Execution;
use crate::fault::Fault;
use crate::operation::Operation;
use crate::races::{Place, Sequence};
use crate::system::Thread;

/// A step of a wakeup tree and what follows it.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) thread: Thread,
    /// Which way it is executed; `None` for all (only at a leaf).
    pub(crate) choice: Option<u32>,
    operation: Operation,
    pub(crate) children: Vec<Branch>,
}

/// The steps from the state that a sequence departs from to the one where it is looked at, with
/// what they did.
pub(crate) type Path = Vec<(Thread, Operation)>;

/// Removes from a sequence the step that `thread` makes at the end of `path`, if that is a weak
/// initial of it.
pub(crate) fn follow(
    x: &Execution,
    sequence: &mut Sequence,
    path: &Path,
    (thread, choice): (Thread, Option<u32>),
    operation: &Operation,
) -> bool {
    let of_thread = path.iter().filter(|(t, _)| *t == thread);
    let before: Vec<&Operation> = of_thread.map(|(_, operation)| operation).collect();
    let local = x.local_count(thread, sequence.position) + before.len() as u32;
    let place = match x.translate(sequence.position, (thread, local), &before, operation) {
        Some(operation) => sequence.place(x, thread, choice, &operation),
        None => Place::Conflict,
    };
    match place {
        Place::Conflict => return false,
        Place::First(event) => drop(sequence.events.remove(event)),
        Place::Last => sequence.last = None,
        Place::Apart => {}
    }
    true
}

/// Inserts a sequence into the tree of the state at the end of `path`. Whether that added anything.
pub(crate) fn insert(
    x: &Execution,
    tree: &mut Vec<Branch>,
    mut sequence: Sequence,
    mut path: Path,
) -> bool {
    if x.fault == Some(Fault::DropWakeup) && !tree.is_empty() {
        return false;
    }
    let mut branches = tree;
    'descend: loop {
        for index in 0..branches.len() {
            let branch = &branches[index];
            let step = (branch.thread, branch.choice);
            if !follow(x, &mut sequence, &path, step, &branch.operation) {
                continue;
            }
            let step = (branch.thread, branch.operation.clone());
            branches = &mut branches[index].children;
            if branches.is_empty() {
                return false;
            }
            path.push(step);
            continue 'descend;
        }
        let chain = chain(x, sequence);
        let adds = chain.is_some();
        branches.extend(chain);
        return adds;
    }
}

/// A sequence as a tree with one path.
fn chain(x: &Execution, sequence: Sequence) -> Option<Branch> {
    let events = sequence.events.iter().map(|&e| {
        let event = x.event(e as usize);
        Branch {
            thread: event.thread,
            choice: Some(event.choice),
            operation: event.performed.clone(),
            children: Vec::new(),
        }
    });
    let last = sequence.last.map(|last| Branch {
        thread: last.thread,
        choice: last.choice,
        operation: last.operation,
        children: Vec::new(),
    });
    let mut steps: Vec<Branch> = events.chain(last).collect();
    if x.fault == Some(Fault::TruncateWakeup) {
        steps.truncate(1);
    }
    let fold = |children: Option<Branch>, mut step: Branch| {
        step.children.extend(children);
        Some(step)
    };
    steps.into_iter().rev().fold(None, fold)
}
