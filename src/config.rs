//! Configurations of the subcommands: the command line after it was checked.

use crate::bench::Subject;
use crate::bench::run::Passed;
use crate::bench::table::{Form, Layout};
use crate::check::{Options, Source};
use crate::report::Telling;
use crate::report::text::Detail;
use std::path::PathBuf;
use std::time::Duration;

/// The model and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct ModelInput {
    /// Where it comes from, and what is added to it.
    pub(crate) source: Source,
    /// How diagnostics about it are written.
    pub(crate) messages: Messages,
    /// The folder that `#include` may not leave.
    pub(crate) include_root: Option<PathBuf>,
    /// Who wants to know which files are read.
    pub(crate) files: Option<crate::cli::watch::FilesRead>,
}

/// How diagnostics are written to standard error.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Messages {
    /// As text with excerpts of the source, or as one JSON object per line.
    pub(crate) format: Format,
    /// Whether warnings are among them.
    pub(crate) warnings: bool,
}

/// What `ample check` checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
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
pub(crate) enum Format {
    /// Human-readable text.
    Text,
    /// One object.
    Json,
}

/// How the result of `ample check` is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckFormat {
    /// Human-readable text.
    Text,
    /// One line of it.
    Line,
    /// One object.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// XML in JUnit's format.
    Junit,
}

/// How the run of a trail is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplayFormat {
    /// Human-readable text.
    Text,
    /// One object.
    Json,
    /// The Informal Trace Format.
    Itf,
}

/// Everything `ample check` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// What is checked.
    pub(crate) model: ModelInput,
    /// The project's file, and what was taken from it.
    pub(crate) configuration: Option<String>,
    /// Whether the model is only read, not searched.
    pub(crate) syntax_only: bool,
    /// Whether only the plan is printed.
    pub(crate) dry_run: bool,
    /// What about the model.
    pub(crate) what: What,
    /// What is asked of the check.
    pub(crate) options: Options,
    /// Whether progress is shown on standard error.
    pub(crate) progress: bool,
    /// How results are written.
    pub(crate) format: CheckFormat,
    /// How much text tells.
    pub(crate) detail: Detail,
    /// What is told of counterexamples.
    pub(crate) telling: Telling,
    /// Where trails are written, if they are.
    pub(crate) trail: TrailFiles,
    /// Pages and charts.
    pub(crate) pictures: Pictures,
}

/// Everything `ample cluster check` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct ClusterCheck {
    /// What is checked.
    pub(crate) check: Check,
    /// Threads of each host.
    pub(crate) threads: usize,
    /// Who the hosts are.
    pub(crate) place: Place,
    /// How long hosts wait for each other in the beginning.
    pub(crate) patience: Duration,
}

/// Which host of which cluster this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The first of so many processes on this machine; it starts the others.
    First(usize),
    /// Another one of these.
    Started(usize),
    /// One of those in a file.
    Listed {
        /// The file.
        hosts: PathBuf,
        /// Which of them.
        process: usize,
        /// The file with what they all know.
        secret: PathBuf,
    },
}

/// What is written for people besides the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pictures {
    /// An HTML page.
    pub(crate) page: Option<PathBuf>,
    /// A message sequence chart of the first counterexample, as SVG.
    pub(crate) chart: Option<PathBuf>,
    /// The first counterexample in the Informal Trace Format.
    pub(crate) itf: Option<PathBuf>,
}

/// Which files counterexamples are written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TrailFiles {
    /// None.
    None,
    /// Files in the current folder that are named after model and property.
    Named,
    /// The first one to this file.
    First(PathBuf),
}

/// Everything `ample bench` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    /// What is measured.
    pub(crate) subjects: Vec<Subject>,
    /// `safety` or the name of a property; none for what is usual.
    pub(crate) property: Option<String>,
    /// Which searches have passes before them.
    pub(crate) passed: Passed,
    /// How often each search is made.
    pub(crate) repeat: usize,
    /// Which table.
    pub(crate) layout: Layout,
    /// Whether SPIN is measured too.
    pub(crate) spin: bool,
    /// Form of the table.
    pub(crate) form: Form,
    /// Where the picture goes, if there is one.
    pub(crate) svg: Option<PathBuf>,
    /// Bounds of each search.
    pub(crate) options: Options,
    /// Whether progress is shown on standard error.
    pub(crate) progress: bool,
}

/// Everything `ample bench --contexts` needs to know.
#[derive(Copy, Clone, Debug)]
pub(crate) struct BenchContexts {
    /// How often each row is measured.
    pub(crate) repeat: usize,
    /// The most BDD nodes.
    pub(crate) nodes: usize,
    /// The time limit of each row.
    pub(crate) time: Option<Duration>,
    /// Whether the tables are a JSON document.
    pub(crate) json: bool,
}

/// Everything `ample check --contexts` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct NetworkCheck {
    /// The `.pds` file; the others are beside it.
    pub(crate) path: PathBuf,
    /// The largest number of contexts.
    pub(crate) contexts: usize,
    /// How it is explored.
    pub(crate) engine: crate::check::Engine,
    /// How the symbolic engine splits view tuples.
    pub(crate) splitting: crate::check::Splitting,
    /// The time limit.
    pub(crate) time: Option<Duration>,
    /// The limit on memory, in bytes.
    pub(crate) memory: Option<u64>,
    /// How the result is written.
    pub(crate) format: Format,
}

/// Everything `ample replay` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    /// What is executed.
    pub(crate) model: ModelInput,
    /// The trail, ours or SPIN's.
    pub(crate) trail: PathBuf,
    /// What is shown.
    pub(crate) telling: Telling,
    /// Whether every step is.
    pub(crate) full: bool,
    /// Pages and charts.
    pub(crate) pictures: Pictures,
    /// How it is written.
    pub(crate) format: ReplayFormat,
}

/// Everything `ample explain` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Explain {
    /// What is explained.
    pub(crate) model: ModelInput,
    /// How it is written.
    pub(crate) view: View,
}

/// How a compiled model is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Human-readable text.
    Text,
    /// Graphviz DOT.
    Dot,
    /// A picture.
    Svg,
    /// One object.
    Json,
}

/// Everything `ample graph` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// What is shown.
    pub(crate) model: ModelInput,
    /// The property whose automaton goes along; none for the model alone.
    pub(crate) goal: Option<String>,
    /// How the search would be made.
    pub(crate) options: Options,
    /// The most states that are shown.
    pub(crate) states: usize,
    /// What pictures show.
    pub(crate) part: crate::graph::Part,
    /// How it is written.
    pub(crate) view: GraphView,
}

/// How a state graph is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum GraphView {
    /// Human-readable text.
    Text,
    /// Graphviz DOT.
    Dot,
    /// A picture.
    Svg,
    /// A page.
    Html,
    /// One object.
    Json,
}

/// Everything `ample ltl` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Ltl {
    /// What is translated, as typed.
    pub(crate) formula: String,
    /// Whether its negation is meant.
    pub(crate) negate: bool,
    /// How the automaton is written.
    pub(crate) notation: Notation,
}

/// How an automaton is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// A never claim.
    Never,
    /// The Hanoi omega-automata format.
    Hoa,
    /// Graphviz DOT.
    Dot,
    /// One object.
    Json,
}

/// Everything `ample simulate` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Simulate {
    /// What is executed.
    pub(crate) model: ModelInput,
    /// Who decides.
    pub(crate) steered: Steered,
    /// Where chance begins; none for anywhere.
    pub(crate) seed: Option<u64>,
    /// How many moves are made at most.
    pub(crate) steps: usize,
    /// How long it may take.
    pub(crate) time: Option<Duration>,
    /// Whether every move is shown.
    pub(crate) moves: bool,
    /// Whether messages are shown.
    pub(crate) messages: bool,
}

/// Who decides what happens next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Steered {
    /// Nobody.
    Chance,
    /// A person.
    Hand,
    /// A trail, ours or SPIN's.
    Trail(PathBuf),
}

/// Everything `ample test` needs to know.
#[derive(Clone, Debug)]
pub(crate) struct SuiteTest {
    /// Folders and models.
    pub(crate) paths: Vec<PathBuf>,
    /// Models checked at the same time.
    pub(crate) jobs: usize,
    /// Options of every check, with their values.
    pub(crate) options: Vec<(&'static str, String)>,
    /// How the summary is written.
    pub(crate) format: SuiteFormat,
    /// Whether models that pass are listed.
    pub(crate) verbose: bool,
}

/// How the summary of a suite is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SuiteFormat {
    /// For people.
    Text,
    /// One object.
    Json,
    /// XML in JUnit's format.
    Junit,
}
