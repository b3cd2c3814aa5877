//! The one loop that executes a system: restart, follow the shared beginning, let the strategy
//! choose, judge the end.
//!
//! A finding is executed again before it is reported, and described on that occasion. While an
//! execution follows the beginning that it shares with the one before, everything that the system
//! announces is compared with what it announced then; a difference is reported as nondeterminism,
//! and ends the exploration, because nothing it says after that can be trusted.

use crate::execution::{Execution, NewEvent, Position};
use crate::fault::Fault;
use crate::report::{Bound, Finding, FindingKind, Report, Step};
use crate::schedule::Schedule;
use crate::search::enumerate::Everything;
use crate::search::optimal::Optimal;
use crate::search::persistent::Persistent;
use crate::search::random::Random;
use crate::search::selective::Selective;
use crate::search::source::Source;
use crate::search::{Enabled, Strategy};
use crate::system::{Pending, Performed, System, Thread};
use std::time::{Duration, Instant};

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Every interleaving.
    Enumerate,
    /// VeriSoft's persistent sets and sleep sets.
    Persistent,
    /// Source sets and sleep sets.
    Source,
    /// Wakeup trees: one execution per trace.
    #[default]
    Optimal,
    /// Random walks from this seed.
    Random(u64),
    /// Probabilistic concurrency testing: seed, and number of ordering constraints of the bugs
    /// looked for.
    Pct(u64, u32),
}

/// What an exploration is asked to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How to search.
    pub algorithm: Algorithm,
    /// At most so many steps per execution.
    pub depth: Option<usize>,
    /// At most so many preemptions per execution. Only [`Algorithm::Enumerate`] honours it: with
    /// any other algorithm the exploration enumerates.
    pub preemptions: Option<u32>,
    /// At most so long.
    pub time: Option<Duration>,
    /// At most so many executions. Random strategies need it or `time`; without both they make
    /// 10,000.
    pub executions: Option<u64>,
    /// Ends after so many different findings.
    pub findings: usize,
    #[doc(hidden)]
    pub fault: Option<Fault>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::default(),
            depth: None,
            preemptions: None,
            time: None,
            executions: None,
            findings: 1,
            fault: None,
        }
    }
}

/// Executions of a random strategy without a bound.
const RANDOM_EXECUTIONS: u64 = 10_000;

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All threads have ended.
    Finished,
    /// Some threads have not ended, and none can go on.
    Deadlock,
    /// Everything enabled was asleep: the execution is redundant.
    Blocked,
    /// Cut off by the bound on steps.
    Cut,
    /// The system could not go on.
    Crashed,
}

/// An execution as an observer sees it.
#[derive(Debug)]
pub struct Trace<'x> {
    /// How it ended.
    pub end: End,
    x: &'x Execution,
}

impl Trace<'_> {
    /// Its steps.
    pub fn schedule(&self) -> Schedule {
        schedule(self.x)
    }

    /// The same for all executions of the same Mazurkiewicz trace, and different for others: per
    /// thread, the choice and the vector clock of each event.
    pub fn canonical(&self) -> Vec<u32> {
        let mut order: Vec<Position> = (0..self.x.len()).collect();
        order.sort_by_key(|&p| (self.x.event(p).thread, self.x.event(p).local));
        let mut form = Vec::new();
        for position in order {
            let event = self.x.event(position);
            let clock = self.x.trimmed_clock(position);
            form.extend([event.thread.0, event.choice, clock.len() as u32]);
            form.extend_from_slice(clock);
        }
        form
    }
}

fn schedule(x: &Execution) -> Schedule {
    Schedule {
        steps: x.events().iter().map(|e| (e.thread, e.choice)).collect(),
    }
}

/// Explores a system. `observe` is called at the end of each execution, also of blocked ones.
pub fn explore<S: System>(
    system: &mut S,
    options: &Options,
    mut observe: impl FnMut(&mut S, &Trace<'_>),
) -> Report {
    let mut algorithm = options.algorithm;
    if options.preemptions.is_some() {
        algorithm = Algorithm::Enumerate;
    }
    let mut strategy: Box<dyn Strategy<S>> = match algorithm {
        Algorithm::Enumerate => Box::new(Selective::new(Everything {
            preemptions: options.preemptions,
            cut: false,
        })),
        Algorithm::Persistent => Box::new(Selective::new(Persistent)),
        Algorithm::Source => Box::new(Selective::new(Source)),
        Algorithm::Optimal => Box::new(Optimal::new()),
        Algorithm::Random(seed) => Box::new(Random::new(seed, None)),
        Algorithm::Pct(seed, depth) => Box::new(Random::new(seed, Some(depth))),
    };
    let random = matches!(algorithm, Algorithm::Random(_) | Algorithm::Pct(..));
    let unbounded = options.executions.is_none() && options.time.is_none();
    let executions = match options.executions {
        None if random && unbounded => Some(RANDOM_EXECUTIONS),
        bound => bound,
    };
    let begin = Instant::now();
    let mut report = Report::default();
    if random {
        report.hit(Bound::Random);
    }
    let mut runner = Runner::new(Execution::new(options.fault, S::numbered), options.depth);
    let mut shared = 0;
    loop {
        let end = match runner.run(system, strategy.as_mut(), shared, &mut report) {
            Ok(end) => end,
            Err(divergence) => {
                report.findings.push(divergence);
                report.hit(Bound::Findings);
                break;
            }
        };
        match end {
            End::Blocked => report.blocked += 1,
            End::Cut => {
                report.cut += 1;
                report.hit(Bound::Depth);
            }
            End::Crashed => {
                report.executions += 1;
                report.hit(Bound::Crash);
            }
            End::Finished | End::Deadlock => report.executions += 1,
        }
        strategy.ended(&runner.x);
        observe(system, &Trace { end, x: &runner.x });
        if !runner.confirm(system, end, &mut report) {
            report.hit(Bound::Findings);
            break;
        }
        let total = report.executions + report.blocked + report.cut;
        match strategy.next(&runner.x) {
            None => break,
            Some(position) => shared = position,
        }
        if executions.is_some_and(|bound| total >= bound) {
            report.hit(Bound::Executions);
            break;
        }
        if options.time.is_some_and(|bound| begin.elapsed() >= bound) {
            report.hit(Bound::Time);
            break;
        }
        if report.findings.len() >= options.findings {
            report.hit(Bound::Findings);
            break;
        }
    }
    if strategy.preemptions_cut() {
        report.hit(Bound::Preemptions);
    }
    report.complete = report.bounds.is_empty();
    report.time = begin.elapsed();
    report
}

/// Executes a system.
struct Runner {
    x: Execution,
    performed: Performed,
    enabled: Vec<Enabled>,
    failures: Vec<(String, Position)>,
    depth: Option<usize>,
}

impl Runner {
    fn new(x: Execution, depth: Option<usize>) -> Self {
        Runner {
            x,
            performed: Performed::default(),
            enabled: Vec::new(),
            failures: Vec::new(),
            depth,
        }
    }

    /// One execution that shares its first steps with the one before.
    fn run<S: System>(
        &mut self,
        system: &mut S,
        strategy: &mut dyn Strategy<S>,
        shared: Position,
        report: &mut Report,
    ) -> Result<End, Finding> {
        self.x.truncate(shared);
        self.failures.clear();
        self.performed.clear();
        system.restart(&mut self.performed);
        let failures = self.performed.failures.drain(..);
        self.failures.extend(failures.map(|message| (message, 0)));
        for position in 0..shared {
            self.follow(system, position)?;
        }
        let end = loop {
            if self.performed.is_over {
                break End::Crashed;
            }
            self.x.mark(system.objects());
            let (any, left) = self.look(system);
            if !any {
                break if left { End::Deadlock } else { End::Finished };
            }
            if self.depth.is_some_and(|depth| self.x.len() >= depth) {
                break End::Cut;
            }
            let Some((thread, choice)) = strategy.pick(system, &self.x, &self.enabled) else {
                break End::Blocked;
            };
            self.advance(system, thread, choice);
            report.transitions += 1;
            strategy.stepped(&self.x);
        };
        report.longest = report.longest.max(self.x.len());
        self.x.finish(system);
        Ok(end)
    }

    /// Lists what is enabled: whether anything is, and whether any thread has not ended.
    fn look<S: System>(&mut self, system: &S) -> (bool, bool) {
        self.enabled.clear();
        let mut left = false;
        for thread in (0..system.threads() as u32).map(Thread) {
            if let Pending::Operation {
                enabled, choices, ..
            } = system.pending(thread)
            {
                left = true;
                if enabled {
                    self.enabled.push(Enabled { thread, choices });
                }
            }
        }
        (!self.enabled.is_empty(), left)
    }

    /// A new step.
    fn advance<S: System>(&mut self, system: &mut S, thread: Thread, choice: u32) {
        let Pending::Operation {
            operation, choices, ..
        } = system.pending(thread)
        else {
            unreachable!("the thread is enabled");
        };
        let announced = operation.clone();
        let last = self.x.events().last();
        let preempted = last.is_some_and(|last| {
            last.thread != thread && self.enabled.iter().any(|e| e.thread == last.thread)
        });
        let preemptions = last.map_or(0, |last| last.preemptions) + u32::from(preempted);
        self.performed.clear();
        system.step(thread, choice, &mut self.performed);
        debug_assert!(
            (self.performed.operation.accesses.len()) >= announced.accesses.len(),
            "a step performs all that was announced"
        );
        self.x.push(NewEvent {
            thread,
            choice,
            choices,
            announced,
            performed: &self.performed.operation,
            created: &self.performed.created,
            preemptions,
        });
        let position = self.x.len();
        let failures = self.performed.failures.drain(..);
        self.failures
            .extend(failures.map(|message| (message, position)));
    }

    /// A step that was executed before: the system must announce and do the same.
    fn follow<S: System>(&mut self, system: &mut S, position: Position) -> Result<(), Finding> {
        let event = self.x.event(position);
        let (thread, choice) = (event.thread, event.choice);
        let found = match system.pending(thread) {
            Pending::Operation {
                operation,
                enabled: true,
                choices,
            } => {
                if *operation == event.announced && choices == event.choices {
                    None
                } else {
                    Some(system.describe(thread))
                }
            }
            Pending::Operation { .. } => Some("a blocked operation".to_owned()),
            Pending::None => Some("nothing".to_owned()),
        };
        if let Some(found) = found {
            return Err(self.divergence(system, position, &found));
        }
        self.performed.clear();
        system.step(thread, choice, &mut self.performed);
        if self.performed.operation != self.x.event(position).performed {
            let found = format!("{:?}", self.performed.operation);
            return Err(self.divergence(system, position, &found));
        }
        let failures = self.performed.failures.drain(..);
        self.failures
            .extend(failures.map(|message| (message, position + 1)));
        Ok(())
    }

    fn divergence<S: System>(&self, system: &S, position: Position, found: &str) -> Finding {
        let event = self.x.event(position);
        let mut schedule = schedule(&self.x);
        schedule.steps.truncate(position + 1);
        Finding {
            kind: FindingKind::Nondeterminism,
            message: format!(
                "not deterministic: after the same {position} steps, {} was about to execute {:?} in one execution and {found} \
                 in another; the program depends on something outside the explorer's control, such as the clock, random \
                 numbers, addresses, or state that outlives an execution",
                system.name(event.thread),
                event.announced,
            ),
            schedule,
            steps: Vec::new(),
        }
    }

    /// Executes again what is wrong with the last execution, and reports it. False if that turned
    /// out differently.
    fn confirm<S: System>(&mut self, system: &mut S, end: End, report: &mut Report) -> bool {
        let mut wrong: Vec<(FindingKind, String, Position)> = Vec::new();
        for (message, position) in self.failures.drain(..) {
            wrong.push((FindingKind::Failure, message, position));
        }
        if end == End::Deadlock {
            let message = deadlock(system);
            wrong.push((FindingKind::Deadlock, message, self.x.len()));
        }
        for (kind, message, position) in wrong {
            let known = |f: &Finding| f.kind == kind && f.message == message;
            if report.findings.iter().any(known) {
                continue;
            }
            let mut schedule = schedule(&self.x);
            schedule.steps.truncate(position);
            let again = replay(system, &schedule);
            let confirmed = again.problem.is_none()
                && match kind {
                    FindingKind::Failure => again.failures.contains(&message),
                    _ => again.end == Some(End::Deadlock) && again.message == message,
                };
            if confirmed {
                report.findings.push(Finding {
                    kind,
                    message,
                    schedule,
                    steps: again.steps,
                });
                continue;
            }
            report.findings.push(Finding {
                kind: FindingKind::Nondeterminism,
                message: format!(
                    "not deterministic: executed again with the same schedule, this was not found: {message}{}",
                    again.problem.map_or(String::new(), |p| format!("; {p}")),
                ),
                schedule,
                steps: again.steps,
            });
            return false;
        }
        true
    }
}

/// Who waits for what.
fn deadlock<S: System>(system: &S) -> String {
    let waiting: Vec<String> = (0..system.threads() as u32)
        .map(Thread)
        .filter(|&thread| matches!(system.pending(thread), Pending::Operation { .. }))
        .map(|thread| format!("{} at {}", system.name(thread), system.describe(thread)))
        .collect();
    format!("deadlock: {}", waiting.join(", "))
}

/// What a schedule led to.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What was executed.
    pub steps: Vec<Step>,
    /// What went wrong on the way.
    pub failures: Vec<String>,
    /// How the system stands; `None` if it could go on.
    pub end: Option<End>,
    /// Who waits for what, in a deadlock.
    pub message: String,
    /// Why the schedule could not be followed to its end.
    pub problem: Option<String>,
}

/// Executes a schedule.
pub fn replay<S: System>(system: &mut S, schedule: &Schedule) -> Replay {
    let mut performed = Performed::default();
    system.restart(&mut performed);
    let mut replay = Replay {
        steps: Vec::new(),
        failures: std::mem::take(&mut performed.failures),
        end: None,
        message: String::new(),
        problem: None,
    };
    for (index, &(thread, choice)) in schedule.steps.iter().enumerate() {
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
            let step = index + 1;
            replay.problem = Some(format!("step {step}: {} {state}", system.name(thread)));
            break;
        }
        replay.steps.push(Step {
            thread: system.name(thread),
            operation: system.describe(thread),
        });
        performed.clear();
        system.step(thread, choice, &mut performed);
        replay.failures.append(&mut performed.failures);
        if performed.is_over {
            replay.end = Some(End::Crashed);
            return replay;
        }
    }
    let pending = |thread| match system.pending(thread) {
        Pending::Operation { enabled, .. } => Some(enabled),
        Pending::None => None,
    };
    let left: Vec<bool> = (0..system.threads() as u32)
        .filter_map(|t| pending(Thread(t)))
        .collect();
    if left.is_empty() {
        replay.end = Some(End::Finished);
    } else if !left.contains(&true) {
        replay.end = Some(End::Deadlock);
        replay.message = deadlock(system);
    }
    replay
}
