//! What is wrong with an execution is executed again before it is reported, and on that occasion
//! described, brought to few preemptions, and asked for its critical step.
//!
//! - *Preemptions*: interleavings with no preemption, with one, and so on are enumerated until the
//!   same thing goes wrong. If that takes too long, an equivalent order of the same steps with long
//!   runs of each thread is taken, and the finding does not claim to be minimal.
//! - *Critical step* (`VeriSoft` calls it the critical transition): a beginning of the schedule is
//!   lost if no continuation ends without a failure. Whatever begins with a lost beginning is lost,
//!   so the shortest one is found by halving; each question is a search for one good execution.

use crate::execution::{Execution, Position};
use crate::explore::Options;
use crate::replay::{deadlock, replay_patiently};
use crate::report::{Critical, Finding, FindingKind, Report, Step};
use crate::runner::{End, Runner, schedule};
use crate::schedule::Schedule;
use crate::search::enumerate::Everything;
use crate::search::optimal::Optimal;
use crate::search::selective::Selective;
use crate::search::{Departure, Enabled, Strategy};
use crate::system::{Failure, System, Thread};

/// All that is wrong with the last execution, and after how many steps.
fn wrong<S: System>(runner: &Runner, system: &S, end: End) -> Vec<(Failure, Position)> {
    let mut wrong = runner.failures.clone();
    if end == End::Deadlock {
        let failure = Failure::new(FindingKind::Deadlock, deadlock(system));
        wrong.push((failure, runner.x.len()));
    }
    wrong
}

/// Executes again what is wrong with the last execution, and reports what `claim` says is new. False if that turned out
/// differently.
pub(crate) fn confirm<S: System>(
    runner: &Runner,
    system: &mut S,
    end: End,
    options: &Options,
    claim: impl Fn(&Failure) -> bool,
    report: &mut Report,
) -> bool {
    if end != End::Deadlock && runner.failures.is_empty() {
        return true;
    }
    // Before anything else is executed: aliases are those of the current execution.
    let whole = schedule(system, &runner.x);
    for (failure, position) in wrong(runner, system, end) {
        if !claim(&failure) {
            continue;
        }
        let mut given = whole.clone();
        given.steps.truncate(position);
        let again = execute(system, &given, &failure, options);
        if system.is_interrupted() {
            return false;
        }
        let again = match again {
            Ok(steps) => steps,
            Err((message, steps)) => {
                report.findings.push(Finding {
                    kind: FindingKind::Nondeterminism,
                    message,
                    schedule: given,
                    steps,
                    preemptions: 0,
                    is_minimal: false,
                    critical: Critical::Unknown,
                });
                return false;
            }
        };
        let before = position.checked_sub(1);
        let mut finding = Finding {
            preemptions: before.map_or(0, |last| runner.x.event(last).preemptions),
            kind: failure.kind,
            message: failure.message.clone(),
            schedule: given,
            steps: again,
            is_minimal: false,
            critical: Critical::Unknown,
        };
        if options.explain {
            let mut steps = steps_of(&runner.x, position);
            minimise(runner, system, &failure, options, &mut finding, &mut steps);
            finding.critical = critical(system, options, &steps);
        }
        report.findings.push(finding);
    }
    true
}

/// Executes a schedule, at whose end this must go wrong; otherwise what happened instead.
fn execute<S: System>(
    system: &mut S,
    schedule: &Schedule,
    failure: &Failure,
    options: &Options,
) -> Result<Vec<Step>, (String, Vec<Step>)> {
    let again = replay_patiently(system, schedule, options.patience);
    let same = match failure.kind {
        FindingKind::Deadlock | FindingKind::Livelock => again.message == failure.message,
        _ => again.failures.contains(failure),
    };
    if same && again.problem.is_none() {
        return Ok(again.steps);
    }
    let message = format!(
        "not deterministic: executed again with the same schedule, this was not found: {}{}",
        failure.message,
        again.problem.map_or(String::new(), |p| format!("; {p}")),
    );
    Err((message, again.steps))
}

fn steps_of(x: &Execution, length: Position) -> Vec<(Thread, u32)> {
    (x.events()[..length].iter())
        .map(|e| (e.thread, e.choice))
        .collect()
}

/// A way to what goes wrong.
struct Way {
    steps: Vec<(Thread, u32)>,
    schedule: Schedule,
    preemptions: u32,
    /// What matters of it, in long runs.
    straight: Vec<(Thread, u32)>,
}

/// Replaces the schedule of a finding by one with fewer preemptions, and leaves out what does not
/// matter.
fn minimise<S: System>(
    runner: &Runner,
    system: &mut S,
    failure: &Failure,
    options: &Options,
    finding: &mut Finding,
    steps: &mut Vec<(Thread, u32)>,
) {
    let way = |runner: &Runner, system: &S, end: End| {
        let wrong = wrong(runner, system, end);
        let (_, position) = wrong.into_iter().find(|(f, _)| f == failure)?;
        let before = position.checked_sub(1);
        let mut schedule = schedule(system, &runner.x);
        schedule.steps.truncate(position);
        Some(Way {
            steps: steps_of(&runner.x, position),
            schedule,
            preemptions: before.map_or(0, |last| runner.x.event(last).preemptions),
            straight: straighten(&runner.x, failure.kind, position),
        })
    };
    let mut straight = straighten(&runner.x, failure.kind, steps.len());
    let mut accept = |system: &mut S, way: Way, finding: &mut Finding| {
        if let Ok(described) = execute(system, &way.schedule, failure, options) {
            *steps = way.steps;
            finding.steps = described;
            finding.schedule = way.schedule;
            finding.preemptions = way.preemptions;
        }
    };
    let mut budget = options.effort;
    let mut bound = 0;
    while bound < finding.preemptions {
        let mut strategy = Selective::new(Everything {
            preemptions: Some(bound),
            ..Everything::default()
        });
        let departure = Departure::default();
        match find(system, &mut strategy, departure, options, &mut budget, way) {
            Some(Some(mut found)) => {
                straight = std::mem::take(&mut found.straight);
                accept(system, found, finding);
                break;
            }
            Some(None) => bound += 1,
            None => break,
        }
    }
    finding.is_minimal = bound == finding.preemptions;
    let departure = Departure {
        shared: 0,
        prefix: straight,
    };
    budget = options.effort;
    let found = find(system, &mut Stop, departure, options, &mut budget, way);
    if let Some(Some(found)) = found {
        let (now, before) = (&found, (finding.preemptions, finding.steps.len()));
        if (now.preemptions, now.steps.len()) < before {
            accept(system, found, finding);
        }
    }
}

/// The steps that happened before the last one (all, if nobody failed), each thread as long as
/// possible at a time.
fn straighten(x: &Execution, kind: FindingKind, length: Position) -> Vec<(Thread, u32)> {
    let matters = |e: &Position| match kind {
        FindingKind::Deadlock | FindingKind::Livelock | FindingKind::Leak => true,
        _ => x.happens_before(*e, length - 1),
    };
    // A failure before the first step has no past.
    let mut left: Vec<Position> = (0..length).filter(matters).collect();
    let mut steps = Vec::with_capacity(left.len());
    let mut current = None;
    while !left.is_empty() {
        let is_ready = |index: &usize| {
            let event = left[*index];
            !left[..*index].iter().any(|&e| x.happens_before(e, event))
        };
        let mine = |index: &usize| Some(x.event(left[*index]).thread) == current;
        let next = (0..left.len())
            .find(|i| mine(i))
            .filter(is_ready)
            .unwrap_or(0);
        let event = x.event(left.remove(next));
        current = Some(event.thread);
        steps.push((event.thread, event.choice));
    }
    steps
}

/// From which step on a failure could not be avoided.
fn critical<S: System>(system: &mut S, options: &Options, steps: &[(Thread, u32)]) -> Critical {
    let mut budget = options.effort;
    let mut is_lost = |length: usize| {
        let departure = Departure {
            shared: 0,
            prefix: steps[..length].to_vec(),
        };
        let mut strategy = Optimal::from(length);
        let well = |runner: &Runner, _: &S, end: End| {
            (end == End::Finished && runner.failures.is_empty()).then_some(())
        };
        find(system, &mut strategy, departure, options, &mut budget, well).map(|f| f.is_none())
    };
    // Every shorter beginning than `open` is not known to be lost; `lost` is.
    let (mut open, mut lost) = (0, steps.len());
    while open < lost {
        let middle = open.midpoint(lost);
        match is_lost(middle) {
            Some(true) => lost = middle,
            Some(false) => open = middle + 1,
            None => return Critical::Unknown,
        }
    }
    match lost {
        0 => Critical::Always,
        step => Critical::Step(step),
    }
}

/// Explores until `goal` says what it was looking for. `None` if that is not known: the budget was
/// used up, or executions were cut off.
fn find<S: System, T>(
    system: &mut S,
    strategy: &mut dyn Strategy<S>,
    mut departure: Departure,
    options: &Options,
    budget: &mut usize,
    goal: impl Fn(&Runner, &S, End) -> Option<T>,
) -> Option<Option<T>> {
    let mut ignored = Report::default();
    let mut runner = Runner::new(
        Execution::new(options.fault, S::numbered),
        options.depth,
        options.patience,
    );
    let mut is_cut = false;
    loop {
        let end = runner
            .run(system, strategy, &departure, &mut ignored)
            .ok()?;
        if system.is_interrupted() {
            return None;
        }
        if let Some(found) = goal(&runner, system, end) {
            return Some(Some(found));
        }
        // Noticing that takes seconds each time.
        let diverged = |(f, _): &(Failure, Position)| f.kind == FindingKind::Divergence;
        if runner.failures.iter().any(diverged) {
            return None;
        }
        is_cut |= end == End::Cut;
        *budget = budget.checked_sub(runner.x.len() + 1)?;
        strategy.ended(system, &runner.x);
        match strategy.next(&runner.x) {
            Some(next) => departure = next,
            None => return if is_cut { None } else { Some(None) },
        }
    }
}

/// Executes only what it is given.
struct Stop;

impl<S: System> Strategy<S> for Stop {
    fn pick(&mut self, _: &S, _: &Execution, _: &[Enabled]) -> Option<(Thread, u32)> {
        None
    }

    fn stepped(&mut self, _: &Execution) {}

    fn ended(&mut self, _: &S, _: &Execution) {}

    fn next(&mut self, _: &Execution) -> Option<Departure> {
        None
    }
}
