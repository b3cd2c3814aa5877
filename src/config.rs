//! Ready objects: what the command line means, after it was checked.

use crate::bench::Subject;
use crate::bench::run::Passed;
use crate::bench::table::{Form, Layout};
use crate::limits::Limits;
use crate::search::{Strategy, Swarm};
use crate::store::{self, LossyKind};
use crate::trace::Show;
use promela_lite::opt::Passes;
use std::path::PathBuf;
use std::time::Duration;

/// The model and how it is read.
#[derive(Clone, Debug)]
pub struct Model {
    /// The file.
    pub path: PathBuf,
    /// `-D`
    pub defines: Vec<(String, Option<String>)>,
    /// Formulas besides those of the model, with their names.
    pub formulas: Vec<(String, String)>,
    /// A file with a `never` claim.
    pub never: Option<PathBuf>,
    /// An automaton of violations.
    pub automaton: Option<Automaton>,
    /// How what the compiler says about it is written.
    pub messages: Messages,
}

/// An automaton from a file, not yet about the model.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The file's name.
    pub name: String,
    /// Accepts the words of violating runs; atom *i* is the *i*-th proposition.
    pub buchi: ltl::Buchi,
    /// Promela expressions.
    pub propositions: Vec<String>,
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
    /// What about it.
    pub what: What,
    /// Go on past violations.
    pub all_errors: bool,
    /// Whether an invalid end state is a violation.
    pub end_states: bool,
    /// No pass, no reduction.
    pub plain: bool,
    /// Passes over the program before it is searched.
    pub passes: Passes,
    /// Whether the reduction is wanted.
    pub reduction: bool,
    /// Whether account is kept of what the reduction could not use.
    pub why_not: bool,
    /// Which runs count.
    pub fairness: FairnessChoice,
    /// Whether progress labels are checked.
    pub non_progress: bool,
    /// Let the automaton read every state, even where it need not.
    pub classic_product: bool,
    /// Whether counterexamples are shortened.
    pub shortest: bool,
    /// Order of the search.
    pub strategy: Strategy,
    /// What is kept of states.
    pub store: StoreChoice,
    /// Whether a lossy search that found nothing is good enough.
    pub accept_probabilistic: bool,
    /// Where states go that find no room in memory.
    pub spill: Option<PathBuf>,
    /// Threads of a search that can be shared.
    pub workers: usize,
    /// Whether that number was asked for.
    pub workers_asked: bool,
    /// Bounds that the search watches.
    pub limits: Limits,
    /// Bound on time.
    pub time: Option<Duration>,
    /// Whether progress is shown on standard error.
    pub progress: bool,
    /// How results are written.
    pub format: Format,
    /// What a trail shows.
    pub show: Show,
    /// Where trails are written, if they are.
    pub trail: Option<PathBuf>,
}

/// What is kept of the states visited.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StoreChoice {
    /// The states.
    Exact(store::Kind),
    /// Less than that.
    Lossy(LossyKind),
    /// Bits, by several searches.
    Swarm(Swarm),
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
    pub limits: Limits,
    /// Bound on the time of each.
    pub time: Option<Duration>,
    /// Whether progress is shown on standard error.
    pub progress: bool,
}

/// Fairness as asked for; proctypes by name.
#[derive(Clone, Debug, Default)]
pub struct FairnessChoice {
    /// For all proctypes that are not named.
    pub all: crate::fairness::Kind,
    /// Condition F instead.
    pub f: bool,
    /// These are weakly fair.
    pub weak: Vec<String>,
    /// These are strongly fair.
    pub strong: Vec<String>,
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
