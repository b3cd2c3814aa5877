//! The command line: subcommands and options.

use super::bench_args::BenchArgs;
use super::cluster_args::ClusterArgs;
use super::explore_args::ExploreArgs;
use super::files;
use super::generate::{CompletionsArgs, ManArgs};
use super::graph_args::GraphArgs;
use super::help::HelpArgs;
use super::output::obeys;
use super::project::candidates;
use super::store_args::StoreArgs;
use super::test_args::TestArgs;
use super::units;
use super::watch::FilesRead;
use crate::check::{
    CheckpointOptions, Engine, FairnessOptions, ForeignAutomaton, Options, Source, Splitting,
    Variant,
};
use crate::config::{
    self, CheckFormat, Format, Notation, ReplayFormat, Steered, TrailFiles, View, What,
};
use crate::fairness::FairnessKind;
use crate::report::Telling;
use crate::report::text::Detail;
use crate::search::Strategy;
use crate::trace::Show;
use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use ltl::{Atom, Atoms};
use promela_lite::opt::Passes;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Explicit-state model checker for Promela.
///
/// Exit codes: 0 holds, 1 violated, 2 wrong usage or model, 3 inconclusive, 4 internal error.
#[derive(Debug, Parser)]
#[command(
    name = "ample",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Measure the partial-order reduction: full and reduced searches side by side
    ///
    /// Searches do not stop at violations. The full and the reduced search must reach the same verdict.
    /// Exit codes: 0 measured, 2 wrong usage or model, 3 a search was stopped, 4 the verdicts differ.
    Bench(BenchArgs),
    /// Verify a model: assertions, end states, properties
    Check(Box<CheckArgs>),
    /// Check a model on several machines, or by several processes
    ///
    /// Every host gets the same command line but for --process. docs/cluster.md says how to start them.
    Cluster(ClusterArgs),
    /// Print a script that completes the words of `ample` in a shell
    ///
    /// For example: `ample completions bash > ~/.local/share/bash-completion/completions/ample`.
    Completions(CompletionsArgs),
    /// Show what a model compiles to: control-flow graphs, footprints, state layout
    ///
    /// Exit codes: 0, or 2 if the model cannot be used.
    Explain(ExplainArgs),
    /// Explore a C program: every order of its threads and processes that can make a difference
    ///
    /// The program needs no change: ample loads a library into it. Compiled with -fsanitize=thread, its accesses to
    /// memory are explored too. docs/testing-real-code.md has a tour.
    /// Exit codes: 0 nothing is wrong, 1 something is, 2 the program cannot be explored, 3 not everything was explored.
    Explore(ExploreArgs),
    /// Show the state graph of a small model: full, reduced, or the product with a property's automaton
    ///
    /// The reduced graph has the ample sets that the search of `ample check` chooses. docs/state-graphs.md has pictures.
    /// Exit codes: 0, or 2 if the model cannot be used or its graph is too large, 3 if it was given up.
    Graph(GraphArgs),
    /// Explain a topic or a command
    Help(HelpArgs),
    /// Translate an LTL formula to a Büchi automaton that accepts the runs that satisfy it
    ///
    /// The automaton is written to standard output, its size and the class of the property to standard error.
    /// Exit codes: 0, or 2 if the formula cannot be translated.
    Ltl(LtlArgs),
    /// Write a manual page for every command into a folder
    Man(ManArgs),
    /// Replay a counterexample of ample or of SPIN
    Replay(ReplayArgs),
    /// Simulate one run of a model: random, interactive, or along a trail
    ///
    /// Exit codes: 1 if the run ends in a failed assertion, an error of the model or an invalid end state, 3 if it was given up
    /// for the sake of --time, else 0.
    Simulate(SimulateArgs),
    /// Check what models say about themselves: every model below a folder, several at a time
    ///
    /// In its first comment a model has lines such as `expect: safety holds`, `expect: NAME violated, TEXT`, `expect: model
    /// holds`, `expect: NAME holds, 12 states`, `expect-weak: NAME holds` (also -strong, -f), `expect: model refused`, and
    /// `options: --no-end-check -D N=3`. The number of states is that of a plain search; TEXT is part of the kind or message of
    /// the first violation.
    /// Exit codes: 0 all as expected, 1 something is not, 2 nothing to check, 3 a limit was reached.
    Test(TestArgs),
}

#[derive(Debug, ClapArgs)]
pub(super) struct ModelArgs {
    /// File with the model; - reads standard input
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    defines: Vec<String>,
    /// Format of diagnostics on standard error; json writes one object per line
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    message_format: FormatArg,
    /// Suppress warnings about the model
    #[arg(long)]
    no_warnings: bool,
    /// Refuse `#include` of files outside this folder, by whatever path or link
    #[arg(long, value_name = "DIR")]
    include_root: Option<PathBuf>,
    /// Follow calls of recursive procedures to this depth; what lies deeper leaves the verdict open [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    call_depth: Option<u32>,
    /// Let sends to full channels lose the message instead of waiting (spin -m)
    #[arg(long)]
    lossy_sends: bool,
    /// Take assertions of processes for statements that have no effect (pan -A)
    #[arg(long)]
    ignore_assertions: bool,
    /// Do not use the project's ample.toml
    #[arg(long)]
    no_config: bool,
}

impl ModelArgs {
    pub(super) fn ready(self) -> config::ModelInput {
        let define = |text: String| match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (text, None),
        };
        config::ModelInput {
            source: Source {
                defines: self.defines.into_iter().map(define).collect(),
                call_depth: self.call_depth,
                variant: Variant {
                    lossy_sends: self.lossy_sends,
                    ignore_assertions: self.ignore_assertions,
                },
                ..Source::file(self.model)
            },
            messages: config::Messages {
                format: self.message_format.into(),
                warnings: !self.no_warnings,
            },
            include_root: self.include_root,
            files: None,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Compile the model and report diagnostics, without searching: exit code 0 or 2
    #[arg(long)]
    syntax_only: bool,
    /// Say what would be done for each goal, and do not search: exit code 0 or 2
    #[arg(long, conflicts_with = "format")]
    dry_run: bool,
    /// What to check
    #[arg(long, value_enum, default_value_t = WhatArg::All)]
    check: WhatArg,
    /// Check this property only
    #[arg(long, value_name = "NAME", conflicts_with = "check")]
    claim: Option<String>,
    /// Continue after violations and report each of them once
    #[arg(long)]
    all_errors: bool,
    /// Do not report invalid end states
    #[arg(long)]
    no_end_check: bool,
    /// An LTL formula to check, in addition to those of the model
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,
    /// A file with an LTL formula to check
    #[arg(long, value_name = "FILE")]
    ltl_file: Vec<PathBuf>,
    /// A file with a never claim to check
    #[arg(long, value_name = "FILE")]
    never: Option<PathBuf>,
    /// A file with a Büchi automaton that accepts violations, in the Hanoi omega-automata format (HOA); its atomic
    /// propositions are Promela expressions
    #[arg(long, value_name = "FILE")]
    hoa: Option<PathBuf>,
    /// Search for non-progress cycles: cycles through no progress label
    #[arg(long)]
    non_progress: bool,
    /// Check properties on fair runs only
    ///
    /// Fair to every process (weak, strong), or to every operation (f).
    #[arg(long, value_enum, default_value_t = FairnessArg::None)]
    fairness: FairnessArg,
    /// Weak fairness for the processes of these proctypes
    #[arg(long, value_name = "PROCTYPE,…", value_delimiter = ',')]
    weak: Vec<String>,
    /// Strong fairness for the processes of these proctypes
    #[arg(long, value_name = "PROCTYPE,…", value_delimiter = ',')]
    strong: Vec<String>,
    /// Partial-order reduction [default: ample where it is sound]
    #[arg(long, value_enum)]
    reduction: Option<ReductionArg>,
    /// Report why states were fully expanded despite the reduction
    ///
    /// By reason, with the lines of the model.
    #[arg(long)]
    why_not: bool,
    /// Synchronous product: the automaton of the property reads every state, even where it need not (slower)
    #[arg(long)]
    classic_product: bool,
    /// Visit every state: disable optimization passes and reduction
    #[arg(long)]
    plain: bool,
    /// Disable slicing: keep what influences nothing that is checked
    #[arg(long)]
    no_slice: bool,
    /// Disable statement merging
    #[arg(long)]
    no_merge: bool,
    /// Disable the reset of dead variables
    #[arg(long)]
    no_dead_variables: bool,
    /// Order of the search for safety violations [default: dfs]
    #[arg(long, value_enum)]
    strategy: Option<StrategyArg>,
    #[command(flatten)]
    lossy: StoreArgs,
    /// Search for short counterexamples
    ///
    /// Breadth first for safety; cycles are shortened once found.
    #[arg(long)]
    shortest: bool,
    /// With --store compressed: move states that exceed the memory limit to files in this directory (slow)
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
    /// Number of worker threads [default: all cores]
    ///
    /// For searches that can be parallelized. With several, which one of several violations is found may differ from run to run.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    workers: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value_t = CheckFormatArg::Text)]
    format: CheckFormatArg,
    /// Say the verdict in one line
    ///
    /// And nothing else, unless something is wrong with the command line or the model.
    #[arg(short, long, conflicts_with_all = ["format", "verbose", "full", "full_states", "automaton", "why_not", "progress",
        "dry_run", "syntax_only", "message_format"])]
    quiet: bool,
    /// Check again whenever the model, or a file that it includes, changes; Ctrl-C ends it
    #[arg(long, conflicts_with_all = ["syntax_only", "dry_run"])]
    watch: bool,
    /// Add the statistics of each search, and the coverage in full
    ///
    /// With SPIN's numbers of states. JSON always has them.
    #[arg(short, long)]
    verbose: bool,
    /// Show every step of a counterexample and all of its explanation
    ///
    /// By default text is folded where steps repeat or are many. JSON always has them.
    #[arg(long)]
    full: bool,
    /// Show all values at every step of a trail, not only those that changed
    #[arg(long)]
    full_states: bool,
    /// Show the states of the property's automaton of violations beside each step
    #[arg(long)]
    automaton: bool,
    /// Show progress even if standard error is not a terminal
    #[arg(long)]
    progress: bool,
    /// Write the first trail to FILE (SPIN's format) and FILE.json [default: MODEL.trail, or MODEL.PROPERTY.trail]
    #[arg(long, value_name = "FILE")]
    trail: Option<PathBuf>,
    /// Do not write trails
    #[arg(long, conflicts_with = "trail")]
    no_trail: bool,
    #[command(flatten)]
    pictures: PictureArgs,
    /// Memory limit, such as 512M or 4G [default: nine tenths of the free memory]
    ///
    /// It is for states and stacks.
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory: Option<u64>,
    /// Time limit for each goal, such as 90s or 10m
    ///
    /// From reading the model to a shorter counterexample.
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// Depth limit: the maximal length of paths
    #[arg(long, value_name = "N")]
    depth: Option<u64>,
    /// Maximal number of stored states
    #[arg(long, value_name = "N")]
    states: Option<u64>,
    /// Write the search to FILE now and then, to go on from there with --resume
    ///
    /// For when the process is killed or a limit is reached; for one goal.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Time from one checkpoint to the next [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = units::duration, requires = "checkpoint")]
    every: Option<Duration>,
    /// Go on from a checkpoint of the same model, goal, options and version of ample
    ///
    /// Limits may be others.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Look for failed assertions and errors in runs with at most K contexts
    ///
    /// A context is a maximal part in which one process moves. Numbers from 1 upward are tried, with stacks of any depth.
    /// Also for pushdown networks: NET.pds with NET.init and NET.spec beside it.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    contexts: Option<u32>,
    /// With --contexts: explore sets of configurations, or states one by one [default: symbolic; networks: explicit]
    #[arg(long, value_enum)]
    engine: Option<EngineArg>,
    /// With --contexts: bits of int and short; runs in which a value needs more are left out, and reported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    bits: Option<u32>,
    /// With --contexts: how sets of configurations are split after a context [default: lazy]
    #[arg(long, value_enum)]
    splitting: Option<SplittingArg>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum EngineArg {
    Symbolic,
    Explicit,
}

impl From<EngineArg> for Engine {
    fn from(engine: EngineArg) -> Engine {
        match engine {
            EngineArg::Symbolic => Engine::Symbolic,
            EngineArg::Explicit => Engine::Explicit,
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum SplittingArg {
    Lazy,
    Eager,
}

/// The time from one checkpoint to the next, if not said.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(600);

/// The options of `check` that mean nothing for a pushdown network.
const NOT_FOR_NETWORKS: [&str; 56] = [
    "checkpoint",
    "every",
    "resume",
    "include_root",
    "call_depth",
    "lossy_sends",
    "ignore_assertions",
    "no_config",
    "bits",
    "defines",
    "message_format",
    "no_warnings",
    "syntax_only",
    "dry_run",
    "check",
    "claim",
    "all_errors",
    "no_end_check",
    "ltl",
    "ltl_file",
    "never",
    "hoa",
    "non_progress",
    "fairness",
    "weak",
    "strong",
    "reduction",
    "why_not",
    "classic_product",
    "plain",
    "no_merge",
    "no_dead_variables",
    "no_slice",
    "strategy",
    "store",
    "hash_functions",
    "accept_probabilistic",
    "swarm",
    "seed",
    "shortest",
    "spill",
    "workers",
    "quiet",
    "watch",
    "verbose",
    "full",
    "full_states",
    "automaton",
    "progress",
    "trail",
    "no_trail",
    "report",
    "msc",
    "itf",
    "depth",
    "states",
];

/// Those options that are on the command line of `check` and mean nothing for a pushdown network.
pub(super) fn given_in_vain(matches: &clap::ArgMatches) -> Vec<String> {
    let Some(("check", check)) = matches.subcommand() else {
        return Vec::new();
    };
    let typed = |id: &&&str| check.value_source(id) == Some(ValueSource::CommandLine);
    let given = NOT_FOR_NETWORKS.iter().filter(typed);
    given
        .map(|id| format!("--{}", id.replace('_', "-")))
        .collect()
}

impl CheckArgs {
    /// Whether the model is to be checked again whenever it changes.
    pub(super) fn is_watching(&self) -> anyhow::Result<bool> {
        if self.watch && self.model.model == Path::new(files::STDIN) {
            bail!("--watch: standard input cannot be read again; name a file");
        }
        Ok(self.watch)
    }

    /// Notes the files that are read before the model is.
    pub(super) fn note_files(&self, files: &FilesRead) {
        let others = self.ltl_file.iter().chain(&self.hoa).chain(&self.never);
        for path in others.chain([&self.model.model]) {
            files.note_now(path);
        }
        // One that is written later counts as well.
        candidates(&self.model.model).for_each(|path| files.note_now(&path));
    }

    /// The configuration, if a pushdown network is to be checked. `given` are the options on the command line that mean nothing
    /// for one: [`given_in_vain`].
    pub(super) fn network(&self, given: &[String]) -> anyhow::Result<Option<config::NetworkCheck>> {
        let path = &self.model.model;
        let is_network = path.extension().is_some_and(|e| e == "pds");
        let name = path.display();
        match (is_network, self.contexts) {
            (false, _) => Ok(None),
            (true, None) => bail!(
                "{name} is a pushdown network: these are checked within a number of contexts; add --contexts K"
            ),
            (true, Some(_))
                if self.splitting.is_some() && self.engine != Some(EngineArg::Symbolic) =>
            {
                bail!(
                    "--splitting: the explicit engine splits by every shared state; add --engine symbolic"
                )
            }
            (true, Some(_)) if !given.is_empty() => {
                bail!(
                    "{}: it means nothing for a pushdown network; leave it out",
                    given.join(", ")
                )
            }
            (true, Some(_))
                if matches!(self.format, CheckFormatArg::Sarif | CheckFormatArg::Junit) =>
            {
                bail!("--format: results for pushdown networks are text or json")
            }
            (true, Some(contexts)) => Ok(Some(config::NetworkCheck {
                path: path.clone(),
                contexts: contexts as usize,
                engine: self.engine.map_or(Engine::Explicit, Into::into),
                splitting: match self.splitting {
                    Some(SplittingArg::Eager) => Splitting::Eager,
                    Some(SplittingArg::Lazy) | None => Splitting::Lazy,
                },
                time: self.time,
                memory: self.memory,
                format: match self.format {
                    CheckFormatArg::Json => Format::Json,
                    _ => Format::Text,
                },
            })),
        }
    }

    pub(super) fn ready(self) -> anyhow::Result<config::Check> {
        let mut model = self.model.ready();
        model.messages.warnings &= !self.quiet;
        let source = &mut model.source;
        let given = self.ltl.into_iter().enumerate();
        let given = given.map(|(i, text)| (format!("formula_{i}"), text));
        source.formulas.extend(given);
        for path in self.ltl_file {
            let name = path.display().to_string();
            source.formulas.push((name, files::read(&path)?));
        }
        source.non_progress = self.non_progress;
        source.never = self.never;
        source.automaton = self.hoa.map(|path| automaton(&path)).transpose()?;
        let trail = match (self.no_trail, self.trail) {
            (true, _) => TrailFiles::None,
            (false, Some(path)) => TrailFiles::First(path),
            (false, None) => TrailFiles::Named,
        };
        let mut options = Options {
            all_errors: self.all_errors,
            end_states: !self.no_end_check,
            plain: self.plain,
            passes: Passes {
                slice: !self.no_slice,
                merge: !self.no_merge,
                dead_variables: !self.no_dead_variables,
            },
            reduction: self.reduction.map(|r| r != ReductionArg::None),
            stubborn: self.reduction == Some(ReductionArg::Stubborn),
            why_not: self.why_not,
            fairness: FairnessOptions {
                all: match self.fairness {
                    FairnessArg::None | FairnessArg::F => FairnessKind::None,
                    FairnessArg::Weak => FairnessKind::Weak,
                    FairnessArg::Strong => FairnessKind::Strong,
                },
                f: matches!(self.fairness, FairnessArg::F),
                weak: self.weak,
                strong: self.strong,
            },
            classic_product: self.classic_product,
            shortest: self.shortest,
            strategy: self.strategy.and_then(|strategy| match strategy {
                StrategyArg::Dfs => Some(Strategy::Dfs),
                StrategyArg::StrictDfs => Some(Strategy::StrictDfs),
                StrategyArg::Bfs => Some(Strategy::Bfs),
                StrategyArg::Stateless => None,
            }),
            stateless: matches!(self.strategy, Some(StrategyArg::Stateless)),
            spill: self.spill,
            workers: self.workers.map(|n| n as usize),
            memory: self.memory,
            depth: self.depth,
            states: self.states,
            time: self.time,
            contexts: self.contexts.map(|n| n as usize),
            engine: self.engine.map(Into::into),
            bits: self.bits.map(|n| n as usize),
            splitting: self.splitting.map(|splitting| match splitting {
                SplittingArg::Lazy => Splitting::Lazy,
                SplittingArg::Eager => Splitting::Eager,
            }),
            checkpoint: self.checkpoint.map(|path| CheckpointOptions {
                path,
                every: self.every.unwrap_or(BETWEEN_CHECKPOINTS),
                only: None,
            }),
            resume: self.resume,
            ..Options::default()
        };
        self.lossy.add_to(&mut options);
        Ok(config::Check {
            model,
            configuration: None,
            syntax_only: self.syntax_only,
            dry_run: self.dry_run,
            what: match (self.claim, self.check) {
                (Some(name), _) => What::Claim(name),
                (None, WhatArg::All) => What::All,
                (None, WhatArg::Safety) => What::Safety,
                (None, WhatArg::Properties) => What::Properties,
            },
            options,
            progress: self.progress || (obeys() && !self.quiet),
            format: match (self.quiet, self.format) {
                (true, _) => CheckFormat::Line,
                (false, CheckFormatArg::Text) => CheckFormat::Text,
                (false, CheckFormatArg::Json) => CheckFormat::Json,
                (false, CheckFormatArg::Sarif) => CheckFormat::Sarif,
                (false, CheckFormatArg::Junit) => CheckFormat::Junit,
            },
            detail: Detail {
                statistics: self.verbose,
                full: self.full,
            },
            telling: telling(self.full_states, self.automaton),
            trail,
            pictures: self.pictures.ready(),
        })
    }
}

#[derive(Debug, ClapArgs)]
struct PictureArgs {
    /// Write a page to FILE (HTML), with counterexamples to step through
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write a message sequence chart of the (first) counterexample to FILE, as SVG
    #[arg(long, value_name = "FILE")]
    msc: Option<PathBuf>,
    /// Write the (first) counterexample to FILE in the Informal Trace Format: states with typed values, as JSON
    #[arg(long, value_name = "FILE")]
    itf: Option<PathBuf>,
}

impl PictureArgs {
    fn ready(self) -> config::Pictures {
        config::Pictures {
            page: self.report,
            chart: self.msc,
            itf: self.itf,
        }
    }
}

/// Reads an automaton in the Hanoi format.
fn automaton(path: &Path) -> anyhow::Result<ForeignAutomaton> {
    let name = path.display().to_string();
    let text = files::read(path)?;
    let mut atoms = Atoms::new();
    let buchi = ltl::hoa::read(&text, &mut atoms).with_context(|| format!("cannot use {name}"))?;
    let propositions = (0..atoms.len() as u32).map(|i| atoms.name(Atom(i)));
    let propositions = propositions.collect();
    Ok(ForeignAutomaton {
        name,
        buchi,
        propositions,
    })
}

#[derive(Debug, ClapArgs)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = ViewArg::Text)]
    format: ViewArg,
    /// Time limit, such as 90s or 10m; when it is reached the exit code is 3
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub(super) time: Option<Duration>,
}

impl ExplainArgs {
    pub(super) fn ready(self) -> config::Explain {
        config::Explain {
            model: self.model.ready(),
            view: match self.format {
                ViewArg::Text => View::Text,
                ViewArg::Dot => View::Dot,
                ViewArg::Svg => View::Svg,
                ViewArg::Json => View::Json,
            },
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(super) struct LtlArgs {
    /// The formula, in the syntax of SPIN or Spot; an atom is an identifier or any text in double quotes
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    formula: String,
    /// Translate the negation of the formula: the never claim that checks it
    #[arg(long)]
    negate: bool,
    /// Output format of the automaton
    #[arg(long, value_enum, default_value_t = NotationArg::Never)]
    format: NotationArg,
    /// Time limit, such as 90s or 10m; when it is reached the exit code is 3
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub(super) time: Option<Duration>,
}

impl LtlArgs {
    pub(super) fn ready(self) -> config::Ltl {
        config::Ltl {
            formula: self.formula,
            negate: self.negate,
            notation: match self.format {
                NotationArg::Never => Notation::Never,
                NotationArg::Hoa => Notation::Hoa,
                NotationArg::Dot => Notation::Dot,
                NotationArg::Json => Notation::Json,
            },
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReplayArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// The trail: .json written by ample, or .trail of SPIN
    #[arg(value_name = "TRAIL")]
    trail: PathBuf,
    /// Show every step: by default text is folded where steps repeat (JSON always has them)
    #[arg(long)]
    full: bool,
    /// Show all values at every step, not only those that changed
    #[arg(long)]
    full_states: bool,
    /// Show the states of the property's automaton of violations beside each step
    #[arg(long)]
    automaton: bool,
    #[command(flatten)]
    pictures: PictureArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReplayFormatArg::Text)]
    format: ReplayFormatArg,
    /// Time limit, such as 90s or 10m; when it is reached the exit code is 3
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub(super) time: Option<Duration>,
}

impl ReplayArgs {
    pub(super) fn ready(self) -> config::Replay {
        config::Replay {
            model: self.model.ready(),
            trail: self.trail,
            telling: telling(self.full_states, self.automaton),
            full: self.full,
            pictures: self.pictures.ready(),
            format: match self.format {
                ReplayFormatArg::Text => ReplayFormat::Text,
                ReplayFormatArg::Json => ReplayFormat::Json,
                ReplayFormatArg::Itf => ReplayFormat::Itf,
            },
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(super) struct SimulateArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Seed of the random choices [default: random; it is printed]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stop after this many moves
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    steps: usize,
    /// Time limit, such as 90s or 10m; when it is reached the exit code is 3
    #[arg(long, value_name = "DURATION", value_parser = units::duration, conflicts_with = "interactive")]
    time: Option<Duration>,
    /// Choose each move by number on standard input; h for help
    #[arg(short, long, conflicts_with_all = ["trail", "steps"])]
    interactive: bool,
    /// Follow a trail: .json written by ample, or .trail of SPIN
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    trail: Option<PathBuf>,
    /// Print every move, with the values it changes
    #[arg(long)]
    moves: bool,
    /// Print a message sequence chart: messages sent and received, one column per process
    #[arg(long)]
    msc: bool,
}

impl SimulateArgs {
    pub(super) fn ready(self) -> config::Simulate {
        config::Simulate {
            model: self.model.ready(),
            steered: match (self.interactive, self.trail) {
                (true, _) => Steered::Hand,
                (false, Some(path)) => Steered::Trail(path),
                (false, None) => Steered::Chance,
            },
            seed: self.seed,
            steps: self.steps,
            time: self.time,
            moves: self.moves,
            messages: self.msc,
        }
    }
}

fn telling(full_states: bool, automaton: bool) -> Telling {
    let show = match full_states {
        true => Show::Everything,
        false => Show::Changes,
    };
    Telling { show, automaton }
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum WhatArg {
    /// Safety and all properties of the model
    All,
    /// Assertions and end states
    Safety,
    /// `ltl` blocks, never claims, accept labels
    Properties,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum FairnessArg {
    /// All runs
    None,
    /// Condition F: an enabled operation, or one that depends on it, is eventually executed
    F,
    /// A process that is continuously enabled from some point on moves infinitely often
    Weak,
    /// A process that is enabled infinitely often moves infinitely often
    Strong,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum StrategyArg {
    /// Depth first: least memory
    Dfs,
    /// Depth first in the textbook order, which is SPIN's: slower
    StrictDfs,
    /// Breadth first: shortest counterexample
    Bfs,
    /// Execution by execution, without storing states: for models without cycles
    Stateless,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum ViewArg {
    /// Human-readable text
    Text,
    /// Graphviz DOT
    Dot,
    /// A picture of the control-flow graphs
    Svg,
    /// A JSON object
    Json,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum NotationArg {
    /// A never claim
    Never,
    /// The Hanoi omega-automata format
    Hoa,
    /// Graphviz DOT
    Dot,
    /// A JSON object, with the class of the property
    Json,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum FormatArg {
    /// Human-readable text
    Text,
    /// A JSON object
    Json,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum CheckFormatArg {
    /// Human-readable text
    Text,
    /// A JSON object
    Json,
    /// SARIF 2.1.0, for editors and code hosts
    Sarif,
    /// JUnit's XML, for systems that collect test results: one test per goal
    Junit,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum ReplayFormatArg {
    /// Human-readable text
    Text,
    /// A JSON object
    Json,
    /// The Informal Trace Format (ITF): a JSON object with every state and its typed values
    Itf,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Format {
        match format {
            FormatArg::Text => Format::Text,
            FormatArg::Json => Format::Json,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_options_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn options_are_for_networks_or_not() {
        let command = Args::command();
        let check = command.find_subcommand("check").expect("check");
        let ids: Vec<&str> = check.get_arguments().map(|a| a.get_id().as_str()).collect();
        for id in ids {
            let allowed = ["model", "contexts", "engine", "splitting", "help"].contains(&id)
                || ["time", "memory", "format"].contains(&id);
            assert_eq!(NOT_FOR_NETWORKS.contains(&id), !allowed, "{id}");
        }
    }

    #[test]
    fn words_become_objects() {
        let parse = |line: &str| {
            let words = line.split(' ');
            match Args::try_parse_from(words).map(|a| a.command) {
                Ok(Command::Check(args)) => args.ready().ok(),
                _ => None,
            }
        };
        let check =
            parse("ample check dir/m.pml -DN=3 -D X --memory 1G --time 2m --states 7").unwrap();
        assert_eq!(check.trail, TrailFiles::Named);
        let defines = [
            ("N".to_owned(), Some("3".to_owned())),
            ("X".to_owned(), None),
        ];
        assert_eq!(check.model.source.defines, defines);
        let options = check.options;
        assert_eq!(options.memory, Some(1 << 30));
        assert_eq!((options.states, options.depth), (Some(7), None));
        assert_eq!(options.time, Some(Duration::from_secs(120)));
        assert_eq!(check.what, What::All);
        assert!(options.end_states && !options.all_errors && !options.plain);

        let check =
            parse("ample check m --claim p --no-end-check --all-errors --no-trail").unwrap();
        assert_eq!(check.what, What::Claim("p".to_owned()));
        assert!(!check.options.end_states && check.options.all_errors);
        assert_eq!(check.trail, TrailFiles::None);

        for wrong in [
            "ample check",
            "ample check m --claim p --check safety",
            "ample check m --memory lots",
            "ample check m --strategy deep",
            "ample replay m",
        ] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum ReductionArg {
    /// Explore every interleaving
    None,
    /// Explore ample sets where that is known to be sound
    Ample,
    /// Find ample sets step by step, as stubborn sets: at times fewer states, more work for each
    Stubborn,
}
