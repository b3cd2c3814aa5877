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
mod wakeup;

use crate::execution::{Execution, Position};
use crate::fault::Fault;
use crate::operation::Operation;
use crate::system::{System, Thread};

/// A thread that can make a step, and in how many ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Enabled {
    pub(crate) thread: Thread,
    pub(crate) choices: u32,
}

/// Decides what is executed.
pub(crate) trait Strategy<S: System> {
    /// The next step, at the end of `x`; `None` if all that is enabled is asleep.
    fn pick(&mut self, system: &S, x: &Execution, enabled: &[Enabled]) -> Option<(Thread, u32)>;

    /// The step was made: it is the last event of `x`.
    fn stepped(&mut self, x: &Execution);

    /// The execution is at its end.
    fn ended(&mut self, x: &Execution);

    /// How many events the next execution shares with this one; `None` if there is no next one.
    fn next(&mut self, x: &Execution) -> Option<Position>;

    /// Whether it left out steps because of the bound on preemptions.
    fn preemptions_cut(&self) -> bool {
        false
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

fn is_asleep(sleep: &[Asleep], thread: Thread, choice: u32) -> bool {
    (sleep.iter()).any(|s| s.thread == thread && s.choice == choice)
}

/// The first way to execute the step of `enabled` that is not asleep.
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
/// easier to read.
fn prefer_last(
    x: &Execution,
    enabled: &[Enabled],
    is_good: impl Fn(Enabled) -> bool,
) -> Option<Enabled> {
    let last = x.events().last().map(|e| e.thread);
    let good = || enabled.iter().copied().filter(|&e| is_good(e));
    good()
        .find(|e| Some(e.thread) == last)
        .or_else(|| good().next())
}
