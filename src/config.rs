//! Ready objects: what the command line means, after it was checked.

use crate::bench::Subject;
use crate::bench::run::Passed;
use crate::bench::table::{Form, Layout};
use crate::check::{Options, Source};
use crate::trace::Show;
use std::path::PathBuf;

/// The model and how it is read.
#[derive(Clone, Debug)]
pub struct Model {
    /// Where it comes from, and what is added to it.
    pub source: Source,
    /// How what the compiler says about it is written.
    pub messages: Messages,
}

/// How diagnostics are written to standard error.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    /// As excerpts for people, or as one object a line.
    pub format: Format,
    /// Whether warnings are among them.
    pub warnings: bool,
}

/// What `ample check` checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Assertions, end states, and every property.
    All,
    /// Assertions and end states.
    Safety,
    /// Every property.
    Properties,
    /// One property.
    Claim(String),
}

/// How results are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One object.
    Json,
}

/// Everything `ample check` needs to know.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is checked.
    pub model: Model,
    /// Whether the model is only read, not searched.
    pub syntax_only: bool,
    /// Whether it is only said what would be done.
    pub dry_run: bool,
    /// What about the model.
    pub what: What,
    /// What is asked of the check.
    pub options: Options,
    /// Whether progress is shown on standard error.
    pub progress: bool,
    /// How results are written.
    pub format: Format,
    /// What a trail shows.
    pub show: Show,
    /// Where trails are written, if they are.
    pub trail: Option<PathBuf>,
}

/// Everything `ample bench` needs to know.
#[derive(Clone, Debug)]
pub struct Bench {
    /// What is measured.
    pub subjects: Vec<Subject>,
    /// `safety` or the name of a property; none for what is usual.
    pub property: Option<String>,
    /// Which searches have passes before them.
    pub passed: Passed,
    /// How often each search is made.
    pub repeat: usize,
    /// Which table.
    pub layout: Layout,
    /// Whether SPIN is measured too.
    pub spin: bool,
    /// Form of the table.
    pub form: Form,
    /// Where the picture goes, if there is one.
    pub svg: Option<PathBuf>,
    /// Bounds of each search.
    pub options: Options,
    /// Whether progress is shown on standard error.
    pub progress: bool,
}

/// Everything `ample replay` needs to know.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What is executed.
    pub model: Model,
    /// The trail, ours or SPIN's.
    pub trail: PathBuf,
    /// What is shown.
    pub show: Show,
    /// How it is written.
    pub format: Format,
}

/// Everything `ample explain` needs to know.
#[derive(Clone, Debug)]
pub struct Explain {
    /// What is explained.
    pub model: Model,
    /// How it is written.
    pub view: View,
}

/// How a compiled model is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// For people.
    Text,
    /// For Graphviz.
    Dot,
    /// One object.
    Json,
}

/// Everything `ample ltl` needs to know.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// What is translated, as typed.
    pub formula: String,
    /// Whether its negation is meant.
    pub negate: bool,
    /// How the automaton is written.
    pub notation: Notation,
}

/// How an automaton is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notation {
    /// A never claim.
    Never,
    /// The Hanoi omega-automata format.
    Hoa,
    /// For Graphviz.
    Dot,
    /// One object.
    Json,
}

/// Everything `ample simulate` needs to know.
#[derive(Clone, Debug)]
pub struct Simulate {
    /// What is executed.
    pub model: Model,
    /// Who decides.
    pub steered: Steered,
    /// Where chance begins; none for anywhere.
    pub seed: Option<u64>,
    /// How many moves are made at most.
    pub steps: usize,
    /// Whether every move is shown.
    pub moves: bool,
    /// Whether messages are shown.
    pub messages: bool,
}

/// Who decides what happens next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steered {
    /// Nobody.
    ByChance,
    /// A person.
    ByHand,
    /// A trail, ours or SPIN's.
    ByTrail(PathBuf),
}
