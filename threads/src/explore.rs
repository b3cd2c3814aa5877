//! The entry points: `check`, `explore`, and options.

use crate::runtime::{Habits, Member, Runtime};
use ample_stateless::{
    Algorithm, Bound, Checkpoint, Critical, End, Finding, FindingKind, Options, Patience, Progress,
    Schedule, Status, Verdict, replay_patiently,
};
use std::any::type_name;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Steps per execution unless another bound is given. A program that needs more most likely spins.
const DEPTH: usize = 10_000;

/// Yields of every thread without a change that are a livelock.
const YIELDS: u32 = 300;

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
    habits: Habits,
    checkpoint: Option<(PathBuf, Duration)>,
    resume: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// The optimal search, until the first finding, with at most 10,000 steps per execution. It is a
    /// livelock if all threads that can go on have yielded 300 times and nothing has changed.
    pub fn new() -> Self {
        let options = Options {
            depth: Some(DEPTH),
            patience: Patience {
                yields: Some(YIELDS),
                blocked: None,
            },
            ..Options::default()
        };
        Builder {
            options,
            depth_is_default: true,
            replay: None,
            habits: Habits::default(),
            checkpoint: None,
            resume: false,
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

    /// At most so many changes from one thread to another per execution. As with `preemptions`.
    pub fn switches(mut self, switches: u32) -> Self {
        self.options.switches = Some(switches);
        self
    }

    /// When it is a livelock; `Patience::default()` never.
    pub fn patience(mut self, patience: Patience) -> Self {
        self.options.patience = patience;
        self
    }

    /// Whether findings are brought to few preemptions and asked for their critical step, which
    /// takes some executions more. The default is yes.
    pub fn explain(mut self, explain: bool) -> Self {
        self.options.explain = explain;
        self
    }

    /// Calls a function several times a second with the number of executions and an estimate of how
    /// many there are.
    pub fn progress(mut self, tell: impl Fn(&Status) + Send + Sync + 'static) -> Self {
        self.options.progress = Some(Progress::new(tell));
        self
    }

    /// How many times each thread may wake up from a wait, return from `park` or fail in
    /// `compare_exchange_weak` without a reason, in each execution. The default is 0.
    pub fn spurious(mut self, times: u32) -> Self {
        self.habits.spurious = times;
        self
    }

    /// Whether it is a finding that a lock is not given back, or that a thread goes on after the
    /// main thread has ended. The default is no.
    pub fn leaks(mut self, leaks: bool) -> Self {
        self.habits.leaks = leaks;
        self
    }

    /// How many accesses to cells and clocks a thread may make without a visible operation; more are
    /// a divergence. The default is 10,000,000.
    pub fn quiet(mut self, accesses: u64) -> Self {
        self.habits.quiet = accesses;
        self
    }

    /// Ends the process, with a message and the schedule, if a thread computes for so long without a
    /// visible operation. It cannot be stopped otherwise. Without this option it computes on.
    pub fn divergence(mut self, time: Duration) -> Self {
        self.habits.silence = Some(time);
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

    /// Writes what is left to explore to this file about every so often, so that another sitting can go on after this one was
    /// killed: with `resume`. The file is removed when nothing is left. Optimal search by one worker only.
    pub fn checkpoint(mut self, path: impl Into<PathBuf>, interval: Duration) -> Self {
        self.checkpoint = Some((path.into(), interval));
        self
    }

    /// Goes on from the file of `checkpoint`, if it is there.
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// The options with the checkpoint of this program.
    fn options_for<F>(&self, _: &F) -> Options {
        let mut options = self.options.clone();
        let Some((path, interval)) = &self.checkpoint else {
            return options;
        };
        let Options {
            algorithm,
            depth,
            patience,
            ..
        } = &options;
        let identity = format!(
            "{} of {}, {algorithm:?}, depth {depth:?}, {patience:?}, {:?}",
            type_name::<F>(),
            executable(),
            self.habits
        );
        let checkpoint = Checkpoint::new(path, *interval, identity);
        let is_there = self.resume && path.exists();
        options.checkpoint = Some(match is_there {
            false => checkpoint,
            true => match checkpoint.resume() {
                Ok(checkpoint) => checkpoint,
                Err(error) => panic!("{}: {error}", path.display()),
            },
        });
        options
    }

    /// Executes only this schedule.
    pub fn replay(mut self, schedule: Schedule) -> Self {
        self.replay = Some(schedule);
        self
    }

    /// Explores the program.
    ///
    /// # Panics
    /// If it is to be resumed from a file that is damaged, or of another exploration.
    pub fn explore(&self, program: impl Fn() + 'static) -> Report {
        let options = self.options_for(&program);
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut runtime = Runtime::enter(Arc::new(program), self.habits, Member::default());
        let statistics = match &self.replay {
            Some(schedule) => replayed(&mut runtime, schedule, &self.options),
            None => ample_stateless::explore(&mut *runtime, &options, |_, _| {}),
        };
        let weak_orders = runtime.is_weak();
        Report {
            statistics,
            weak_orders,
        }
    }

    /// Explores the program with several workers, each on a thread of the system. They make as many
    /// executions as one would. A `static` atomic or `OnceLock` cannot be shared by them.
    pub fn explore_in_parallel(
        &self,
        workers: usize,
        program: impl Fn() + Send + Sync + 'static,
    ) -> Report {
        if self.replay.is_some() || workers < 2 {
            return self.explore(program);
        }
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let program: Arc<dyn Fn() + Send + Sync> = Arc::new(program);
        let (names, next) = (Arc::default(), AtomicUsize::new(0));
        let weak = AtomicBool::new(false);
        let enter = || {
            let program = program.clone();
            let member = Member {
                worker: next.fetch_add(1, Relaxed),
                has_others: true,
                names: Arc::clone(&names),
            };
            Runtime::enter(Arc::new(move || program()), self.habits, member)
        };
        let observe = |runtime: &mut Runtime, _: &ample_stateless::Trace<'_>| {
            if runtime.is_weak() {
                weak.store(true, Relaxed);
            }
        };
        let statistics =
            ample_stateless::explore_in_parallel(workers, enter, &self.options, observe);
        Report {
            statistics,
            weak_orders: weak.into_inner(),
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

/// What tells this executable from others: a sum over its bytes.
fn executable() -> String {
    let bytes = std::env::current_exe()
        .and_then(std::fs::read)
        .unwrap_or_default();
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The report of a single schedule.
fn replayed(
    runtime: &mut Runtime,
    schedule: &Schedule,
    options: &Options,
) -> ample_stateless::Report {
    let again = replay_patiently(runtime, schedule, options.patience);
    let finding = |kind, message| Finding {
        kind,
        message,
        schedule: schedule.clone(),
        steps: again.steps.clone(),
        preemptions: 0,
        is_minimal: false,
        critical: Critical::Unknown,
    };
    let mut findings: Vec<Finding> = (again.failures.iter())
        .map(|failure| finding(failure.kind, failure.message.clone()))
        .collect();
    if !again.message.is_empty() {
        let kind = match again.end {
            Some(End::Livelock) => FindingKind::Livelock,
            _ => FindingKind::Deadlock,
        };
        findings.push(finding(kind, again.message.clone()));
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
        workers: 1,
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
