//! The one loop that explores: execute, judge the end, go where the strategy says.
//!
//! A finding is executed again before it is reported ([`crate::confirm`]). Nondeterminism ends the
//! exploration, because nothing it says after that can be trusted.

use crate::checkpoint::{Checkpoint, Sitting};
use crate::confirm::confirm;
use crate::execution::{Execution, Position};
use crate::fault::Fault;
use crate::livelock::Patience;
use crate::progress::{Meter, Progress};
use crate::report::{Bound, Finding, Report};
use crate::runner::{End, Runner, schedule};
use crate::schedule::Schedule;
use crate::search::enumerate::Everything;
use crate::search::optimal::Optimal;
use crate::search::persistent::Persistent;
use crate::search::random::Random;
use crate::search::selective::Selective;
use crate::search::source::Source;
use crate::search::team::Team;
use crate::search::{Departure, Strategy};
use crate::system::{Failure, System};
use std::ops::DerefMut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// As `Optimal`, in memory that is bounded: wakeup trees with more branches than this keep one sequence per first step. A
    /// trace may be executed again where that happens.
    Bounded(usize),
    /// Random walks from this seed.
    Random(u64),
    /// Random walks that are fair: a thread that yields waits until the others had their turn.
    FairRandom(u64),
    /// Probabilistic concurrency testing: seed, and number of ordering constraints of the bugs
    /// looked for.
    Pct(u64, u32),
}

impl Algorithm {
    /// Whether an exploration can go on in another sitting.
    pub fn can_resume(self) -> bool {
        matches!(self, Algorithm::Optimal | Algorithm::Bounded(_))
    }

    fn is_random(self) -> bool {
        use Algorithm::{FairRandom, Pct, Random};
        matches!(self, Random(_) | FairRandom(_) | Pct(..))
    }
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
    /// At most so many changes from one thread to another per execution, for whatever reason. As
    /// with `preemptions`, the exploration enumerates.
    pub switches: Option<u32>,
    /// At most so long.
    pub time: Option<Duration>,
    /// At most so many executions. Random strategies need it or `time`; without both they make
    /// 10,000.
    pub executions: Option<u64>,
    /// Ends after so many different findings.
    pub findings: usize,
    /// When a thread waits for too long.
    pub patience: Patience,
    /// Whether findings are brought to few preemptions and asked for their critical step.
    pub explain: bool,
    /// Steps that may be executed for either; less for systems whose steps take long.
    pub effort: usize,
    /// Who is told how far the exploration is.
    pub progress: Option<Progress>,
    /// Where what is left is written from time to time. Only the optimal search by one worker can go on later; with any
    /// other the exploration says so and writes nothing.
    pub checkpoint: Option<Checkpoint>,
    #[doc(hidden)]
    pub fault: Option<Fault>,
    /// Work is handed over even if nobody needs it.
    #[doc(hidden)]
    pub hands_over_always: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::default(),
            depth: None,
            preemptions: None,
            switches: None,
            time: None,
            executions: None,
            findings: 1,
            patience: Patience::default(),
            explain: true,
            effort: 200_000,
            progress: None,
            checkpoint: None,
            fault: None,
            hands_over_always: false,
        }
    }
}

impl Options {
    /// What is really done: see `preemptions`.
    fn effective(&self) -> Algorithm {
        match self.preemptions.is_some() || self.switches.is_some() {
            true => Algorithm::Enumerate,
            false => self.algorithm,
        }
    }
}

/// Executions of a random strategy without a bound.
const RANDOM_EXECUTIONS: u64 = 10_000;

/// An execution as an observer sees it.
#[derive(Debug)]
pub struct Trace<'x> {
    /// How it ended.
    pub end: End,
    pub(crate) x: &'x Execution,
}

impl Trace<'_> {
    /// Its steps.
    pub fn schedule<S: System>(&self, system: &S) -> Schedule {
        schedule(system, self.x)
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

/// Explores a system. `observe` is called at the end of each execution, also of blocked ones.
pub fn explore<S: System>(
    system: &mut S,
    options: &Options,
    observe: impl FnMut(&mut S, &Trace<'_>),
) -> Report {
    let control = Control::new(options);
    let saved = options.checkpoint.as_ref().and_then(|c| c.saved.clone());
    let report = match saved {
        Some(sitting) => control.go_on(system, sitting, observe),
        None => control.drive(system, strategy(options, 0).as_mut(), observe),
    };
    control.finish(vec![report])
}

/// Explores with several workers, each of which has a system of its own: all must behave alike, and
/// give the same thread the same number. The number of executions is that of one worker. Only
/// [`Algorithm::Optimal`] and random strategies are shared out: with others one worker explores,
/// as the report says.
pub fn explore_in_parallel<S: System, B: DerefMut<Target = S>>(
    workers: usize,
    system: impl Fn() -> B + Sync,
    options: &Options,
    observe: impl Fn(&mut S, &Trace<'_>) + Sync,
) -> Report {
    let algorithm = options.effective();
    if (workers < 2 && !options.hands_over_always)
        || !(algorithm.is_random() || algorithm == Algorithm::Optimal)
    {
        return explore(&mut *system(), options, observe);
    }
    let control = Control::new(options);
    let team = Arc::new(Team::new(workers, options.hands_over_always));
    let work = |index: usize| {
        let _stops = Stops(&team);
        let mut strategy = match algorithm {
            Algorithm::Optimal => Box::new(Optimal::member(team.clone(), index == 0)),
            _ => strategy(options, index as u64),
        };
        let mut begin = Some(Departure::default());
        if algorithm == Algorithm::Optimal && index > 0 {
            begin = strategy.next(&Execution::new(options.fault, S::numbered));
        }
        match begin {
            Some(begin) => control.drive_from(begin, &mut *system(), strategy.as_mut(), &observe),
            None => Report::default(),
        }
    };
    let reports = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers)
            .map(|index| scope.spawn(move || work(index)))
            .collect();
        let mut reports = vec![work(0)];
        for other in others {
            match other.join() {
                Ok(report) => reports.push(report),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        reports
    });
    control.finish(reports)
}

/// Sends a team home when a member leaves it: it ran out of work, which all do together, or it
/// stopped before.
struct Stops<'t>(&'t Team);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn strategy<S: System>(options: &Options, worker: u64) -> Box<dyn Strategy<S>> {
    match options.effective() {
        Algorithm::Enumerate => Box::new(Selective::new(Everything {
            preemptions: options.preemptions,
            switches: options.switches,
            cut: None,
        })),
        Algorithm::Persistent => Box::new(Selective::new(Persistent)),
        Algorithm::Source => Box::new(Selective::new(Source)),
        Algorithm::Optimal => Box::new(Optimal::new()),
        Algorithm::Bounded(most) => Box::new(Optimal::new().bounded(Some(most))),
        Algorithm::Random(seed) => Box::new(Random::walk(seed.wrapping_add(worker))),
        Algorithm::FairRandom(seed) => Box::new(Random::fair(seed.wrapping_add(worker))),
        Algorithm::Pct(seed, depth) => Box::new(Random::pct(seed.wrapping_add(worker), depth)),
    }
}

/// What the workers of an exploration have in common.
struct Control<'o> {
    options: &'o Options,
    is_random: bool,
    executions: Option<u64>,
    begin: Instant,
    /// Executions that were begun.
    begun: AtomicU64,
    known: Mutex<Vec<Failure>>,
    is_over: AtomicBool,
    meter: Option<Meter>,
}

/// Writes checkpoints.
struct Saving<'o> {
    checkpoint: Option<&'o Checkpoint>,
    /// Time of earlier sittings.
    before: Duration,
    begin: Instant,
    last: Instant,
    count: u64,
}

impl<'o> Saving<'o> {
    fn new(checkpoint: Option<&'o Checkpoint>, before: Duration) -> Self {
        Saving {
            checkpoint,
            before,
            begin: Instant::now(),
            last: Instant::now(),
            count: 0,
        }
    }

    /// Between two executions: writes if it is time, or if it `must`.
    fn look<S: System>(
        &mut self,
        system: &S,
        x: &Execution,
        departure: &Departure,
        strategy: &dyn Strategy<S>,
        report: &mut Report,
        must: bool,
    ) {
        let Some(checkpoint) = self.checkpoint else {
            return;
        };
        self.count += 1;
        let is_short = checkpoint.interval() < SHORT;
        let is_due = (is_short || self.count.is_multiple_of(LOOKS))
            && self.last.elapsed() >= checkpoint.interval();
        if !must && !is_due {
            return;
        }
        let Some(states) = strategy.save().filter(|_| departure.shared <= x.len()) else {
            let what = "only the optimal search by one worker can go on later";
            report.unsaved = Some(what.to_owned());
            return;
        };
        let steps = x.events()[..departure.shared].iter();
        let steps = steps
            .map(|e| (e.thread, e.choice))
            .chain(departure.prefix.iter().copied());
        let mut so_far = report.clone();
        so_far.time = self.before + self.begin.elapsed();
        let sitting = Sitting {
            steps: steps.collect(),
            states,
            report: so_far,
            memory: system.remember(),
        };
        report.unsaved = checkpoint.write(&sitting).err().map(|e| e.to_string());
        self.last = Instant::now();
    }

    /// Nothing is left to explore.
    fn end(&self) {
        if let Some(checkpoint) = self.checkpoint {
            checkpoint.remove();
        }
    }
}

/// Executions between two looks at the clock.
const LOOKS: u64 = 64;

impl<'o> Control<'o> {
    fn new(options: &'o Options) -> Self {
        let is_random = options.effective().is_random();
        let unbounded = options.executions.is_none() && options.time.is_none();
        let begin = Instant::now();
        Control {
            options,
            is_random,
            executions: match options.executions {
                None if is_random && unbounded => Some(RANDOM_EXECUTIONS),
                bound => bound,
            },
            begin,
            begun: AtomicU64::new(0),
            known: Mutex::default(),
            is_over: AtomicBool::new(false),
            meter: options
                .progress
                .clone()
                .map(|progress| Meter::new(progress, begin)),
        }
    }

    /// Goes on where an earlier sitting ended.
    fn go_on<S: System>(
        &self,
        system: &mut S,
        sitting: Sitting,
        observe: impl FnMut(&mut S, &Trace<'_>),
    ) -> Report {
        let Sitting {
            steps,
            states,
            mut report,
            memory,
        } = sitting;
        if !system.recall(&memory) || !self.options.effective().can_resume() {
            report.findings.push(Finding::unlike_before());
            report.hit(Bound::Findings);
            return report;
        }
        let made = report.executions + report.blocked + report.cut;
        self.begun.store(made, Ordering::Relaxed);
        let failure = |f: &Finding| Failure::new(f.kind, f.message.clone());
        let known = report.findings.iter().map(failure).collect();
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = known;
        let begin = Departure {
            shared: 0,
            prefix: steps,
        };
        let most = match self.options.effective() {
            Algorithm::Bounded(most) => Some(most),
            _ => None,
        };
        let mut strategy = Optimal::resumed(states).bounded(most);
        self.drive_on(begin, report, system, &mut strategy, observe)
    }

    fn drive<S: System>(
        &self,
        system: &mut S,
        strategy: &mut dyn Strategy<S>,
        observe: impl FnMut(&mut S, &Trace<'_>),
    ) -> Report {
        self.drive_from(Departure::default(), system, strategy, observe)
    }

    fn drive_from<S: System>(
        &self,
        departure: Departure,
        system: &mut S,
        strategy: &mut dyn Strategy<S>,
        observe: impl FnMut(&mut S, &Trace<'_>),
    ) -> Report {
        self.drive_on(departure, Report::default(), system, strategy, observe)
    }

    fn drive_on<S: System>(
        &self,
        mut departure: Departure,
        mut report: Report,
        system: &mut S,
        strategy: &mut dyn Strategy<S>,
        mut observe: impl FnMut(&mut S, &Trace<'_>),
    ) -> Report {
        let options = self.options;
        let mut saving = Saving::new(options.checkpoint.as_ref(), report.time);
        let execution = Execution::new(options.fault, S::numbered);
        let mut runner = Runner::new(execution, options.depth, options.patience);
        loop {
            // A bound on executions, the time, or another worker may end the exploration here.
            match self.may_begin() {
                Ok(()) => {}
                Err(Some(bound)) => {
                    saving.look(system, &runner.x, &departure, strategy, &mut report, true);
                    report.hit(bound);
                    break;
                }
                Err(None) => break,
            }
            let ran = runner.run(system, strategy, &departure, &mut report);
            if system.is_interrupted() {
                report.hit(Bound::Interrupted);
                break;
            }
            let end = match ran {
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
                End::Livelock => {
                    report.cut += 1;
                    report.hit(Bound::Livelock);
                }
                End::Crashed => {
                    report.executions += 1;
                    report.hit(Bound::Crash);
                }
                End::Finished | End::Deadlock => report.executions += 1,
            }
            strategy.ended(system, &runner.x);
            if runner.x.gave_up() {
                report.hit(Bound::Guards);
            }
            observe(system, &Trace { end, x: &runner.x });
            if let Some(meter) = &self.meter {
                meter.add(strategy.weight());
            }
            let claim = |failure: &Failure| self.claim(failure);
            let confirmed = confirm(&runner, system, end, options, claim, &mut report);
            if system.is_interrupted() {
                report.hit(Bound::Interrupted);
                break;
            }
            if !confirmed {
                report.hit(Bound::Findings);
                break;
            }
            match strategy.next(&runner.x) {
                None => {
                    saving.end();
                    break;
                }
                Some(next) => departure = next,
            }
            saving.look(system, &runner.x, &departure, strategy, &mut report, false);
            if self
                .known
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .len()
                >= options.findings
            {
                report.hit(Bound::Findings);
                break;
            }
        }
        if !report.bounds.is_empty() && !self.goes_on(&report) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        if let Some(bound) = strategy.bound() {
            report.hit(bound);
        }
        report
    }

    /// Whether the other workers go on: what was cut off were single executions.
    fn goes_on(&self, report: &Report) -> bool {
        let single = |b: &Bound| {
            matches!(
                b,
                Bound::Depth | Bound::Livelock | Bound::Crash | Bound::Guards
            )
        };
        report.bounds.iter().all(single)
    }

    /// Whether a further execution may begin; if not, the bound, unless another worker knows it.
    fn may_begin(&self) -> Result<(), Option<Bound>> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(None);
        }
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        if self.executions.is_some_and(|bound| number >= bound.max(1)) {
            return Err(Some(Bound::Executions));
        }
        let looks = number.is_multiple_of(LOOKS) || self.options.time.is_some_and(|t| t < SHORT);
        let over = |bound: Duration| number > 0 && looks && self.begin.elapsed() >= bound;
        match self.options.time.is_some_and(over) {
            true => Err(Some(Bound::Time)),
            false => Ok(()),
        }
    }

    /// Whether this was not found before; it counts as found from now on.
    fn claim(&self, failure: &Failure) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !known.contains(failure);
        if is_new {
            known.push(failure.clone());
        }
        is_new
    }

    fn finish(self, reports: Vec<Report>) -> Report {
        let mut all = Report {
            workers: reports.len(),
            ..Report::default()
        };
        if self.is_random {
            all.hit(Bound::Random);
        }
        for report in reports {
            all.executions += report.executions;
            all.blocked += report.blocked;
            all.cut += report.cut;
            all.transitions += report.transitions;
            all.longest = all.longest.max(report.longest);
            report.bounds.iter().for_each(|&bound| all.hit(bound));
            all.findings.extend(report.findings);
            all.unsaved = all.unsaved.or(report.unsaved);
            all.time = all.time.max(report.time);
        }
        if all.workers > 1 {
            all.findings
                .sort_by(|a, b| (a.kind, &a.message).cmp(&(b.kind, &b.message)));
        }
        all.complete = all.bounds.is_empty();
        all.time += self.begin.elapsed();
        all
    }
}

/// Times so short that the clock is looked at before every execution.
const SHORT: Duration = Duration::from_millis(50);
