//! Ready objects: what the command line means, after it was checked.

use crate::limits::Limits;
use crate::search::Strategy;
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
    /// Whether progress labels are checked.
    pub non_progress: bool,
    /// Let the automaton read every state, even where it need not.
    pub classic_product: bool,
    /// Order of the search.
    pub strategy: Strategy,
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
