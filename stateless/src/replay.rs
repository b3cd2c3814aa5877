//! Executes one schedule, and says what happened.

use crate::livelock::{Patience, Waiting};
use crate::report::Step;
use crate::runner::{End, describe};
use crate::schedule::Schedule;
use crate::system::{Failure, Pending, Performed, System, Thread};

/// What a schedule led to.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What was executed.
    pub steps: Vec<Step>,
    /// What went wrong on the way.
    pub failures: Vec<Failure>,
    /// How the system stands; `None` if it could go on.
    pub end: Option<End>,
    /// Who waits for what, in a deadlock or livelock.
    pub message: String,
    /// Why the schedule could not be followed to its end.
    pub problem: Option<String>,
}

/// Executes a schedule.
pub fn replay<S: System>(system: &mut S, schedule: &Schedule) -> Replay {
    replay_patiently(system, schedule, Patience::default())
}

/// Executes a schedule and looks for livelocks at its end.
pub fn replay_patiently<S: System>(
    system: &mut S,
    schedule: &Schedule,
    patience: Patience,
) -> Replay {
    let mut performed = Performed::default();
    let mut waiting = Waiting::new(patience);
    system.restart(&mut performed);
    let mut replay = Replay {
        steps: Vec::new(),
        failures: std::mem::take(&mut performed.failures),
        end: None,
        message: String::new(),
        problem: None,
    };
    for (index, &(alias, choice)) in schedule.steps.iter().enumerate() {
        look(system, &mut waiting);
        let step = index + 1;
        let Some(thread) = system
            .aliased(alias.0)
            .filter(|t| t.index() < system.threads())
        else {
            let thread = alias.0;
            replay.problem = Some(format!("step {step}: thread {thread} does not exist"));
            return replay;
        };
        let state = match system.pending(thread) {
            Pending::Operation {
                enabled: true,
                choices,
                ..
            } if choice < choices => None,
            Pending::Operation { enabled: true, .. } => Some("has no such choice"),
            Pending::Operation { .. } => Some("is blocked"),
            Pending::None => Some("does not exist or has ended"),
        };
        if let Some(state) = state {
            replay.problem = Some(format!("step {step}: {} {state}", system.name(thread)));
            break;
        }
        replay.steps.push(Step {
            thread: system.name(thread),
            operation: system.describe(thread),
            place: system.place(thread),
        });
        performed.clear();
        system.step(thread, choice, &mut performed);
        waiting.stepped(thread, &performed);
        replay.failures.append(&mut performed.failures);
        if performed.is_over {
            replay.end = Some(End::Crashed);
            return replay;
        }
    }
    let (enabled, left) = look(system, &mut waiting);
    if !left {
        replay.end = Some(End::Finished);
        system.leftovers(&mut replay.failures);
    } else if enabled.is_empty() {
        replay.end = Some(End::Deadlock);
        replay.message = deadlock(system);
    } else if let Some(message) = waiting.complaint(system, enabled.into_iter()) {
        replay.end = Some(End::Livelock);
        replay.message = message;
    }
    replay
}

/// The enabled threads, and whether any has not ended.
fn look<S: System>(system: &S, waiting: &mut Waiting) -> (Vec<Thread>, bool) {
    let mut all = Vec::new();
    let mut left = false;
    for thread in (0..system.threads() as u32).map(Thread) {
        if let Pending::Operation { enabled, .. } = system.pending(thread) {
            left = true;
            waiting.saw(thread, enabled);
            if enabled {
                all.push(thread);
            }
        }
    }
    (all, left)
}

/// Who waits for what.
pub(crate) fn deadlock<S: System>(system: &S) -> String {
    let waiting: Vec<String> = (0..system.threads() as u32)
        .map(Thread)
        .filter(|&thread| matches!(system.pending(thread), Pending::Operation { .. }))
        .map(|thread| format!("{} at {}", system.name(thread), describe(system, thread)))
        .collect();
    format!("deadlock: {}", waiting.join(", "))
}
