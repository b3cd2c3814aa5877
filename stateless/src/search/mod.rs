//! Strategies: which step comes next, and where to go back to.
//!
//! The explorer executes the system; a strategy only decides. After each execution it names the
//! state, by its position, from which the next execution departs. [`selective`] is the depth-first
//! search that plain enumeration, persistent sets and source sets share; [`optimal`] has wakeup
//! trees instead.

pub(crate) mod enumerate;
pub(crate) mod optimal;
pub(crate) mod persistent;
pub(crate) mod random;
pub(crate) mod selective;
pub(crate) mod source;
pub(crate) mod team;
pub(crate) mod wakeup;

use crate::execution::{Execution, Position};
use crate::fault::Fault;
use crate::operation::Operation;
use crate::report::Bound;
use crate::system::{System, Thread};
pub(crate) use optimal::Saved;

/// A thread that can make a step, and in how many ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Enabled {
    pub(crate) thread: Thread,
    pub(crate) choices: u32,
}

/// How an execution begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Departure {
    /// So many events of the execution before it,
    pub(crate) shared: Position,
    /// then these steps, about which the strategy is not asked.
    pub(crate) prefix: Vec<(Thread, u32)>,
}

impl Departure {
    /// From a state of the execution before.
    pub(crate) fn from(shared: Position) -> Self {
        let prefix = Vec::new();
        Departure { shared, prefix }
    }
}

/// Decides what is executed.
pub(crate) trait Strategy<S: System> {
    /// The next step, at the end of `x`; `None` if all that is enabled is asleep. A step that is not
    /// enabled although executions before this one say that it must be shows nondeterminism.
    fn pick(&mut self, system: &S, x: &Execution, enabled: &[Enabled]) -> Option<(Thread, u32)>;

    /// The step was made: it is the last event of `x`.
    fn stepped(&mut self, x: &Execution);

    /// The execution is at its end.
    fn ended(&mut self, system: &S, x: &Execution);

    /// How the next execution begins; `None` if there is no next one.
    fn next(&mut self, x: &Execution) -> Option<Departure>;

    /// Which part of all executions the last one stands for, as far as is known: one over the
    /// number of branches, multiplied along the execution.
    fn weight(&self) -> f64 {
        0.0
    }

    /// What is left, after `next` said that there is a next execution; `None` if it cannot be told.
    fn save(&self) -> Option<Vec<Saved>> {
        None
    }

    /// The bound because of which it left out steps.
    fn bound(&self) -> Option<Bound> {
        None
    }
}

/// A step that was explored from an earlier state and is independent of everything since: whatever
/// begins with it was explored from there.
#[derive(Clone, Debug)]
pub(crate) struct Asleep {
    pub(crate) thread: Thread,
    pub(crate) choice: u32,
    pub(crate) operation: Operation,
}

#[inline]
fn is_asleep(sleep: &[Asleep], thread: Thread, choice: u32) -> bool {
    (sleep.iter()).any(|s| s.thread == thread && s.choice == choice)
}

/// The first way to execute the step of `enabled` that is not asleep.
#[inline]
fn awake(sleep: &[Asleep], enabled: Enabled) -> Option<u32> {
    (0..enabled.choices).find(|&choice| !is_asleep(sleep, enabled.thread, choice))
}

/// What stays asleep over the last event of `x`.
fn pass_on(sleep: &[Asleep], x: &Execution) -> Vec<Asleep> {
    let event = x.event(x.len() - 1);
    let stays = |s: &&Asleep| {
        s.thread != event.thread
            && (x.fault == Some(Fault::DeepSleep) || !x.depends(&s.operation, &event.performed))
    };
    sleep.iter().filter(stays).cloned().collect()
}

/// The last event of `x` as a step that was explored.
fn explored(x: &Execution, position: Position) -> Asleep {
    let event = x.event(position);
    Asleep {
        thread: event.thread,
        choice: event.choice,
        operation: event.performed.clone(),
    }
}

/// The thread that made the last step, if it is among these: executions with few preemptions are
/// easier to read. After a yield it is another thread's turn, so that loops that wait for others
/// come to an end.
fn prefer_last(
    x: &Execution,
    enabled: &[Enabled],
    is_good: impl Fn(Enabled) -> bool,
) -> Option<Enabled> {
    let good = || enabled.iter().copied().filter(|&e| is_good(e));
    let Some(last) = x.events().last() else {
        return good().next();
    };
    let of_last = |e: &Enabled| e.thread == last.thread;
    match last.yielded {
        true => good().find(|e| e.thread > last.thread),
        false => good().find(of_last),
    }
    .or_else(|| good().next())
}
