//! The entry points: `check`, `explore`, and options.

use crate::runtime::{Runtime, Session};
use ample_stateless::{Algorithm, Bound, Finding, FindingKind, Options, Schedule, Verdict, replay};
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Steps per execution unless another bound is given. A program that needs more most likely spins.
const DEPTH: usize = 10_000;

/// One exploration at a time: `static` objects belong to one exploration.
static TURN: Mutex<()> = Mutex::new(());

/// The result of an exploration; it has the fields of [`Statistics`](crate::Statistics).
#[derive(Clone, Debug)]
pub struct Report {
    statistics: ample_stateless::Report,
    /// Whether the program asked for an order weaker than `SeqCst`, of which only sequentially
    /// consistent executions were explored.
    pub weak_orders: bool,
}

impl Deref for Report {
    type Target = ample_stateless::Report;

    fn deref(&self) -> &ample_stateless::Report {
        &self.statistics
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.statistics)?;
        if self.weak_orders {
            f.write_str("\nnote: orders weaker than SeqCst were executed as SeqCst")?;
        }
        Ok(())
    }
}

/// Options of an exploration.
#[derive(Clone, Debug)]
pub struct Builder {
    options: Options,
    depth_is_default: bool,
    replay: Option<Schedule>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// The optimal search, until the first finding, with at most 10,000 steps per execution.
    pub fn new() -> Self {
        let options = Options {
            depth: Some(DEPTH),
            ..Options::default()
        };
        Builder {
            options,
            depth_is_default: true,
            replay: None,
        }
    }

    /// How to search.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.options.algorithm = algorithm;
        self
    }

    /// At most so many steps per execution.
    pub fn depth(mut self, steps: usize) -> Self {
        self.options.depth = Some(steps);
        self.depth_is_default = false;
        self
    }

    /// At most so many preemptions per execution. The search then enumerates interleavings without
    /// reduction.
    pub fn preemptions(mut self, preemptions: u32) -> Self {
        self.options.preemptions = Some(preemptions);
        self
    }

    /// At most so long.
    pub fn time(mut self, time: Duration) -> Self {
        self.options.time = Some(time);
        self
    }

    /// At most so many executions.
    pub fn executions(mut self, executions: u64) -> Self {
        self.options.executions = Some(executions);
        self
    }

    /// Ends after so many different findings; the default is 1.
    pub fn findings(mut self, findings: usize) -> Self {
        self.options.findings = findings.max(1);
        self
    }

    /// Executes only this schedule.
    pub fn replay(mut self, schedule: Schedule) -> Self {
        self.replay = Some(schedule);
        self
    }

    /// Explores the program.
    pub fn explore(&self, program: impl Fn() + 'static) -> Report {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = Session::new(Rc::new(program));
        let runtime = session.runtime();
        let statistics = match &self.replay {
            Some(schedule) => replayed(runtime, schedule),
            None => ample_stateless::explore(runtime, &self.options, |_, _| {}),
        };
        let weak_orders = runtime.is_weak();
        Report {
            statistics,
            weak_orders,
        }
    }

    /// Explores the program and panics with the report on a finding. A bound that was asked for
    /// makes the result inconclusive, which is printed and returned; the default bound on steps is
    /// not meant to be hit and panics.
    ///
    /// # Panics
    /// On a finding, and on an execution of more than 10,000 steps unless a bound on steps was
    /// given.
    #[track_caller]
    pub fn check(&self, program: impl Fn() + 'static) -> Report {
        let report = self.explore(program);
        let replay = report.findings.first().map(|finding| &finding.schedule);
        match report.verdict() {
            Verdict::Violated => panic!(
                "{report}\nto execute it again: AMPLE_REPLAY='{}'",
                replay.map_or(String::new(), Schedule::to_string)
            ),
            Verdict::Inconclusive(Bound::Depth) if self.depth_is_default => panic!(
                "{report}\nan execution has more than {DEPTH} steps: does the program wait by spinning? \
                 `Builder::depth` sets another bound"
            ),
            Verdict::Inconclusive(_) => eprintln!("{report}"),
            Verdict::Holds => {}
        }
        report
    }
}

/// The report of a single schedule.
fn replayed(runtime: &mut Runtime, schedule: &Schedule) -> ample_stateless::Report {
    let again = replay(runtime, schedule);
    let finding = |kind, message| Finding {
        kind,
        message,
        schedule: schedule.clone(),
        steps: again.steps.clone(),
    };
    let mut findings: Vec<Finding> = (again.failures.iter())
        .map(|message| finding(FindingKind::Failure, message.clone()))
        .collect();
    if !again.message.is_empty() {
        findings.push(finding(FindingKind::Deadlock, again.message.clone()));
    }
    if let Some(problem) = &again.problem {
        let message = format!("the schedule does not fit the program: {problem}");
        findings.push(finding(FindingKind::Nondeterminism, message));
    }
    ample_stateless::Report {
        executions: 1,
        transitions: again.steps.len() as u64,
        bounds: vec![Bound::Executions],
        findings,
        ..ample_stateless::Report::default()
    }
}

/// The options that `AMPLE_REPLAY` asks for.
fn from_environment() -> Builder {
    let builder = Builder::new();
    match std::env::var("AMPLE_REPLAY") {
        Ok(text) => match text.parse() {
            Ok(schedule) => builder.replay(schedule),
            Err(error) => panic!("AMPLE_REPLAY: {error}"),
        },
        Err(_) => builder,
    }
}

/// Explores a program and panics with a report if something is wrong with it: for `cargo test`.
///
/// # Panics
/// See [`Builder::check`].
#[track_caller]
pub fn check(program: impl Fn() + 'static) {
    from_environment().check(program);
}

/// Explores a program.
///
/// # Panics
/// If `AMPLE_REPLAY` is set to something that is no schedule.
pub fn explore(program: impl Fn() + 'static) -> Report {
    from_environment().explore(program)
}
