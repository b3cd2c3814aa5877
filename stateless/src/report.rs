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
    /// The time.
    Time,
    /// The number of executions.
    Executions,
    /// A random strategy never knows that nothing is left.
    Random,
    /// The number of findings.
    Findings,
    /// The system could not go on, so that later steps of other threads were not seen.
    Crash,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::Depth => "the bound on steps per execution",
            Bound::Preemptions => "the bound on preemptions",
            Bound::Time => "the time limit",
            Bound::Executions => "the bound on executions",
            Bound::Random => "a random strategy",
            Bound::Findings => "the bound on findings",
            Bound::Crash => "a crash of the system",
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
    /// The same steps led to something else: something outside the explorer's control decides what
    /// the program does.
    Nondeterminism,
}

/// A step of a finding, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who.
    pub thread: String,
    /// Did what.
    pub operation: String,
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
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.message)?;
        let width = self.steps.iter().map(|s| s.thread.chars().count()).max();
        for (index, step) in self.steps.iter().enumerate() {
            let width = width.unwrap_or(0);
            writeln!(
                f,
                "{:>5}  {:width$}  {}",
                index + 1,
                step.thread,
                step.operation
            )?;
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
