//! What an exploration found, and what it may say.

use crate::schedule::Schedule;
use std::fmt;
use std::time::Duration;

/// A bound that kept an exploration from being complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The number of steps per execution.
    Depth,
    /// The number of preemptions per execution.
    Preemptions,
    /// The number of context switches per execution.
    Switches,
    /// The time.
    Time,
    /// The number of executions.
    Executions,
    /// A random strategy never knows that nothing is left.
    Random,
    /// The number of findings.
    Findings,
    /// Somebody asked for it: [`System::is_interrupted`](crate::System::is_interrupted).
    Interrupted,
    /// The system could not go on, so that later steps of other threads were not seen.
    Crash,
    /// Executions that would never end were cut off where that was noticed.
    Livelock,
    /// A guard depends on so many steps that not all of their orders were tried.
    Guards,
}

impl Bound {
    pub(crate) const ALL: &[Bound] = &[
        Bound::Depth,
        Bound::Preemptions,
        Bound::Switches,
        Bound::Time,
        Bound::Executions,
        Bound::Random,
        Bound::Findings,
        Bound::Interrupted,
        Bound::Crash,
        Bound::Livelock,
        Bound::Guards,
    ];
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::Depth => "the bound on steps per execution",
            Bound::Preemptions => "the bound on preemptions",
            Bound::Switches => "the bound on context switches",
            Bound::Time => "the time limit",
            Bound::Executions => "the bound on executions",
            Bound::Random => "a random strategy",
            Bound::Findings => "the bound on findings",
            Bound::Interrupted => "an interruption",
            Bound::Crash => "a crash of the system",
            Bound::Livelock => "livelocks",
            Bound::Guards => "a guard that depends on too many steps",
        })
    }
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// No thread can go on, and not all have ended.
    Deadlock,
    /// A thread panicked, or an assertion failed.
    Failure,
    /// A thread went on and on without a visible operation.
    Divergence,
    /// Threads go on and none of them gets anywhere, or one is kept waiting.
    Livelock,
    /// An object was used in a way that it does not allow.
    Misuse,
    /// A process died.
    Crash,
    /// Something was left behind at the end.
    Leak,
    /// The same steps led to something else: something outside the explorer's control decides what
    /// the program does.
    Nondeterminism,
}

impl FindingKind {
    pub(crate) const ALL: &[FindingKind] = &[
        FindingKind::Deadlock,
        FindingKind::Failure,
        FindingKind::Divergence,
        FindingKind::Livelock,
        FindingKind::Misuse,
        FindingKind::Crash,
        FindingKind::Leak,
        FindingKind::Nondeterminism,
    ];

    /// One word, as it stands in JSON.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Deadlock => "deadlock",
            FindingKind::Failure => "failure",
            FindingKind::Divergence => "divergence",
            FindingKind::Livelock => "livelock",
            FindingKind::Misuse => "misuse",
            FindingKind::Crash => "crash",
            FindingKind::Leak => "leak",
            FindingKind::Nondeterminism => "nondeterminism",
        }
    }
}

/// A step of a finding, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who.
    pub thread: String,
    /// Did what.
    pub operation: String,
    /// Where in the source text.
    pub place: Option<String>,
}

/// From which step on a failure could not be avoided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Critical {
    /// Before this step (the first one is 1) some continuation ends well; after it none does.
    Step(usize),
    /// No execution ends well.
    Always,
    /// Not looked into, or there were too many continuations.
    Unknown,
}

/// Something that is wrong, confirmed by a second execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub kind: FindingKind,
    /// What is wrong.
    pub message: String,
    /// The steps that lead to it.
    pub schedule: Schedule,
    /// The same for people.
    pub steps: Vec<Step>,
    /// How many times a thread was left although it could have gone on.
    pub preemptions: u32,
    /// Whether no schedule with fewer preemptions leads to it.
    pub is_minimal: bool,
    /// The critical step.
    pub critical: Critical,
}

impl Finding {
    /// The program of an earlier sitting was another one.
    pub(crate) fn unlike_before() -> Self {
        Finding {
            kind: FindingKind::Nondeterminism,
            message: "not deterministic: the checkpoint does not fit the program".to_owned(),
            schedule: Schedule::default(),
            steps: Vec::new(),
            preemptions: 0,
            is_minimal: false,
            critical: Critical::Unknown,
        }
    }
}

/// Of a long finding, so many steps at the beginning and at the end are printed.
const HEAD: usize = 40;
const TAIL: usize = 60;

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.message)?;
        let width = self.steps.iter().map(|s| s.thread.chars().count()).max();
        let width = width.unwrap_or(0);
        for (index, step) in self.steps.iter().enumerate() {
            let number = index + 1;
            let left_out = HEAD..self.steps.len().saturating_sub(TAIL);
            if left_out.len() > 1
                && left_out.contains(&index)
                && self.critical != Critical::Step(number)
            {
                if index == HEAD {
                    writeln!(f, "       … {} steps …", left_out.len())?;
                }
                continue;
            }
            let mark = match self.critical {
                Critical::Step(critical) if critical == number => '!',
                _ => ' ',
            };
            write!(
                f,
                "{number:>5}{mark} {:width$}  {}",
                step.thread, step.operation
            )?;
            match &step.place {
                Some(place) => writeln!(f, " ({place})")?,
                None => writeln!(f)?,
            }
        }
        match self.critical {
            Critical::Step(step) => writeln!(
                f,
                "step {step} (!) is critical: before it the program could still end well, after it no more"
            )?,
            Critical::Always => writeln!(f, "no order of steps avoids a failure")?,
            Critical::Unknown => {}
        }
        if self.is_minimal {
            let times = match self.preemptions {
                0 => "no preemption".to_owned(),
                1 => "1 preemption".to_owned(),
                n => format!("{n} preemptions"),
            };
            writeln!(f, "{times}: fewer do not lead to it")?;
        }
        write!(f, "schedule: {}", self.schedule)
    }
}

/// What may be concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every execution was explored, up to the order of independent steps, and nothing is wrong
    /// with any.
    Holds,
    /// Something is wrong.
    Violated,
    /// Nothing was found, but this bound left out executions.
    Inconclusive(Bound),
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Executions that came to their end.
    pub executions: u64,
    /// Executions given up because everything enabled was asleep.
    pub blocked: u64,
    /// Executions cut off by the bound on steps.
    pub cut: u64,
    /// Steps, without those that only led back to where an execution departs from the one before.
    pub transitions: u64,
    /// Steps of the longest execution.
    pub longest: usize,
    /// Whether nothing was left out.
    pub complete: bool,
    /// What left out something.
    pub bounds: Vec<Bound>,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// How long it took.
    pub time: Duration,
    /// How many workers explored.
    pub workers: usize,
    /// Why the last checkpoint could not be written.
    pub unsaved: Option<String>,
}

impl Report {
    /// What may be concluded.
    pub fn verdict(&self) -> Verdict {
        match (self.findings.is_empty(), self.bounds.first()) {
            (false, _) => Verdict::Violated,
            (true, Some(&bound)) => Verdict::Inconclusive(bound),
            (true, None) => Verdict::Holds,
        }
    }

    pub(crate) fn hit(&mut self, bound: Bound) {
        if !self.bounds.contains(&bound) {
            self.bounds.push(bound);
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}\n")?;
        }
        match self.verdict() {
            Verdict::Holds => f.write_str("holds")?,
            Verdict::Violated => f.write_str("violated")?,
            Verdict::Inconclusive(bound) => write!(f, "inconclusive because of {bound}")?,
        }
        let seconds = self.time.as_secs_f64();
        write!(
            f,
            ": {} executions, {} steps",
            self.executions, self.transitions
        )?;
        if self.blocked > 0 {
            write!(f, ", {} blocked by sleep sets", self.blocked)?;
        }
        if self.cut > 0 {
            write!(f, ", {} cut off", self.cut)?;
        }
        write!(f, ", {seconds:.2} s")?;
        if self.workers > 1 {
            write!(f, " by {} workers", self.workers)?;
        }
        if let Some(error) = &self.unsaved {
            write!(f, "; no checkpoint was written: {error}")?;
        }
        if self.complete {
            return Ok(());
        }
        let bounds: Vec<String> = self.bounds.iter().map(Bound::to_string).collect();
        write!(
            f,
            "; left out executions because of {}",
            bounds.join(" and ")
        )
    }
}
