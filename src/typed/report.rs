//! What a check tells: a verdict for each goal, and counterexamples in the system's own states and actions.

use crate::limits::Stop;
use crate::stats::Stats;
use crate::verdict::Word;
use std::fmt::{self, Debug, Display};

/// A step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<State, Action> {
    /// What happens.
    pub action: Action,
    /// The state after it.
    pub state: State,
}

/// A run that violates a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample<State, Action> {
    /// Where it starts.
    pub initial: State,
    /// What happens then.
    pub steps: Vec<Step<State, Action>>,
    /// For a run that goes on forever: the number of steps before those that repeat. If it is the number of all steps, nothing
    /// can happen any more, and the last state repeats. `None` where it is the last state that violates the goal.
    pub cycle: Option<usize>,
}

impl<State, Action> Counterexample<State, Action> {
    /// All states, the first and the last included.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        std::iter::once(&self.initial).chain(self.steps.iter().map(|s| &s.state))
    }

    /// All actions.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.steps.iter().map(|s| &s.action)
    }

    /// The state that it ends in, or in which the cycle closes.
    pub fn last(&self) -> &State {
        self.steps.last().map_or(&self.initial, |s| &s.state)
    }
}

impl<State: Debug, Action: Debug> Display for Counterexample<State, Action> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  start: {:?}", self.initial)?;
        for (index, step) in self.steps.iter().enumerate() {
            if self.cycle == Some(index) {
                writeln!(f, "  from here on it repeats:")?;
            }
            writeln!(f, "  {}. {:?} -> {:?}", index + 1, step.action, step.state)?;
        }
        if self.cycle == Some(self.steps.len()) {
            writeln!(f, "  here the run ends, and its last state repeats")?;
        }
        Ok(())
    }
}

/// What came of one goal.
#[derive(Clone, Debug)]
pub struct GoalReport<State, Action> {
    /// Its name.
    pub name: String,
    /// What was found out.
    pub verdict: Word,
    /// Why it is inconclusive, if it is.
    pub stop: Option<Stop>,
    /// A run that violates it, if the verdict says so.
    pub counterexample: Option<Counterexample<State, Action>>,
    /// States stored by the search that decided it. For a formula these are pairs of a state of the system and one of the
    /// automaton that watches its runs.
    pub states: u64,
    /// All figures of that search. It starts from one state more, which leads to the initial states.
    pub statistics: Stats,
    /// Seconds of that search.
    pub seconds: f64,
    /// Whether that search left out actions by partial-order reduction. [`Stats::reduced`] counts in how many states.
    pub reduced: bool,
    /// What else is to be said, such as why there was no reduction.
    pub notes: Vec<String>,
}

impl<State: Debug, Action: Debug> Display for GoalReport<State, Action> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GoalReport {
            name,
            verdict,
            stop,
            counterexample,
            states,
            notes,
            ..
        } = self;
        write!(f, "{name}: {verdict}")?;
        let reduced = if self.reduced { ", reduced" } else { "" };
        match stop {
            Some(stop) => writeln!(f, ", {stop} ({states} states{reduced})")?,
            None => writeln!(f, " ({states} states{reduced})")?,
        }
        notes.iter().try_for_each(|note| writeln!(f, "  {note}"))?;
        match counterexample {
            Some(counterexample) => Display::fmt(counterexample, f),
            None => Ok(()),
        }
    }
}

/// What came of a check: one report for each goal, in the order in which they were named.
#[derive(Clone, Debug)]
pub struct Report<State, Action> {
    /// The goals.
    pub goals: Vec<GoalReport<State, Action>>,
}

impl<State, Action> Report<State, Action> {
    /// What came of the goal of that name.
    pub fn goal(&self, name: &str) -> Option<&GoalReport<State, Action>> {
        self.goals.iter().find(|goal| goal.name == name)
    }

    /// The verdict about the goal of that name.
    pub fn verdict(&self, name: &str) -> Option<Word> {
        self.goal(name).map(|goal| goal.verdict)
    }

    /// The counterexample to the goal of that name.
    pub fn counterexample(&self, name: &str) -> Option<&Counterexample<State, Action>> {
        self.goal(name)?.counterexample.as_ref()
    }

    /// Whether all goals hold.
    pub fn holds(&self) -> bool {
        self.goals.iter().all(|goal| goal.verdict == Word::Holds)
    }
}

impl<State: Debug, Action: Debug> Report<State, Action> {
    /// For tests: panics with the whole report unless all goals hold.
    #[track_caller]
    pub fn assert_holds(&self) {
        assert!(self.holds(), "not all goals hold:\n{self}");
    }
}

impl<State: Debug, Action: Debug> Display for Report<State, Action> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.goals.iter().try_for_each(|goal| Display::fmt(goal, f))
    }
}

/// Why a check came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A formula cannot be used.
    Formula {
        /// The goal that it was given for.
        goal: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Two goals, or two atoms, have this name.
    SameName(String),
    /// The system has no initial state.
    NoInitialState,
    /// This option is for Promela models.
    Option(&'static str),
    /// What the system declares that its processes read and write is not so: this shows it.
    Declaration(String),
    /// What was found could not be executed again: the system gives different answers to the same question, or its states
    /// are not told apart by `==` as by their bytes; else it is an error in this library.
    Contradiction(String),
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Formula { goal, reason } => write!(f, "the formula of `{goal}`: {reason}"),
            Error::SameName(name) => write!(f, "there are two of the name `{name}`"),
            Error::Option(option) => {
                write!(
                    f,
                    "the option `{option}` is not for systems written in Rust"
                )
            }
            Error::NoInitialState => f.write_str("the system has no initial state"),
            Error::Declaration(text) => write!(f, "a declaration of the system is wrong: {text}"),
            Error::Contradiction(text) => write!(
                f,
                "a counterexample could not be confirmed, does the system always give the same answers? {text}"
            ),
        }
    }
}

impl std::error::Error for Error {}
