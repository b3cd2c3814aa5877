//! Wakeup trees: sequences that must still be explored from a state, as an ordered tree of steps.
//!
//! A sequence is inserted only if no path through the tree already leads to a place from which an
//! equivalent of it will be explored: the tree is descended along steps that are weak initials of
//! the sequence, and if that ends at a leaf, nothing is added. Otherwise the rest of the sequence
//! becomes a new last branch. So no branch is ever redundant because of an earlier one, which is
//! why no execution is blocked by sleep sets.
//!
//! Such a tree can become exponentially large. A bounded one keeps at most one sequence per first step once it is too
//! large. Sequences are kept below a branch because of what sleeps when it is taken: an order in which something
//! wakes a sleeping step may be known only from explorations before. So if a sequence is not kept, nothing sleeps in that
//! branch, and what is explored there relies on nobody. That is sound, since no sleep set is needed for a search to be
//! complete; traces that begin with that branch and with an earlier one are then executed twice.

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
    pub(crate) operation: Operation,
    pub(crate) children: Vec<Branch>,
    /// Sequences that go down here were not kept: nothing sleeps when it is taken.
    pub(crate) is_awake: bool,
}

impl Branch {
    fn new(thread: Thread, choice: Option<u32>, operation: Operation) -> Self {
        Branch {
            thread,
            choice,
            operation,
            children: Vec::new(),
            is_awake: false,
        }
    }
}

/// How many branches a tree has.
fn size(tree: &[Branch]) -> usize {
    tree.iter().map(|branch| 1 + size(&branch.children)).sum()
}

/// The same as [`insert`] for a tree that is not to have more than about `most` branches. What would go down a branch of a
/// larger tree is not kept; instead nothing will sleep when that branch is taken.
pub(crate) fn insert_bounded(
    x: &Execution,
    tree: &mut Vec<Branch>,
    sequence: Sequence,
    most: usize,
) {
    if size(tree) >= most {
        for branch in tree.iter_mut() {
            let step = (branch.thread, branch.choice);
            let mut rest = sequence.clone();
            if follow(x, &mut rest, &Path::new(), step, &branch.operation) {
                branch.is_awake |= x.fault != Some(Fault::LeaveAsleep);
                return;
            }
        }
    }
    insert(x, tree, sequence, Path::new());
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
fn chain(x: &Execution, mut sequence: Sequence) -> Option<Branch> {
    if x.fault == Some(Fault::TruncateWakeup) && !sequence.events.is_empty() {
        sequence.events.truncate(1);
        sequence.last = None;
    }
    let events = sequence.events.iter().map(|&e| {
        let event = x.event(e as usize);
        Branch::new(event.thread, Some(event.choice), event.performed.clone())
    });
    let last = sequence.last;
    let last = last.map(|last| Branch::new(last.thread, last.choice, last.operation));
    let fold = |child: Option<Branch>, mut step: Branch| {
        step.children = child.into_iter().collect();
        Some(step)
    };
    events.chain(last).rev().fold(None, fold)
}
