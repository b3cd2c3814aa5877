//! The options of `ample explore`.

use super::units;
use ample_preload::Command;
use ample_stateless::{Algorithm, Checkpoint, Options, Schedule};
use anyhow::{Context, bail};
use clap::{Args as ClapArgs, ValueEnum};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Steps of an execution after which it is cut off.
const DEPTH: usize = 10_000;

/// Steps spent on explaining a finding: about a second, for a step of a C program costs two context
/// switches.
const EFFORT: usize = 5_000;

#[derive(Debug, ClapArgs)]
pub(super) struct ExploreArgs {
    /// The program, and its arguments
    #[arg(value_name = "PROGRAM", required_unless_present_any = ["header", "from"], num_args = 1.., trailing_var_arg = true,
        allow_hyphen_values = true)]
    command: Vec<OsString>,
    /// Execute this schedule only, and show what the program prints
    #[arg(long, value_name = "SCHEDULE", value_parser = schedule, conflicts_with_all = ["algorithm", "seed", "time", "executions",
        "depth", "preemptions", "findings", "report", "checkpoint"])]
    replay: Option<Schedule>,
    /// How to search
    #[arg(long, value_enum, default_value_t = AlgorithmArg::Optimal)]
    algorithm: AlgorithmArg,
    /// Seed of random strategies
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// At most so many preemptions per execution; the search enumerates all interleavings then
    #[arg(long, value_name = "N")]
    preemptions: Option<u32>,
    /// Time limit, such as 90s or 10m
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// Maximal number of executions
    #[arg(long, value_name = "N")]
    executions: Option<u64>,
    /// Maximal number of steps per execution [default: 10000]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// End after so many different findings
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    findings: u32,
    /// A thread that runs so long without a visible operation diverges
    #[arg(long, value_name = "DURATION", value_parser = units::duration, default_value = "5s")]
    divergence: Duration,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    format: FormatArg,
    /// Write a page to FILE: one HTML file with the findings, to step through
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Explore nothing: take the findings from this report in JSON, of a C program or of `ample_threads`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "checkpoint", "command"])]
    from: Option<PathBuf>,
    /// Write what is left to explore to FILE every 10 seconds; it is removed when nothing is left
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Go on from the file of --checkpoint
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Show what the program prints, in all executions
    #[arg(long)]
    output: bool,
    /// Print the C header with VS_toss and VS_assert, and do nothing else
    #[arg(long, exclusive = true)]
    header: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// Human-readable text
    Text,
    /// A JSON object
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AlgorithmArg {
    /// One execution per class of interleavings that differ in the order of independent steps
    Optimal,
    /// Source sets and sleep sets
    Source,
    /// Sleep sets
    Persistent,
    /// Every interleaving
    Enumerate,
    /// Random walks
    Random,
    /// Probabilistic concurrency testing, for bugs with three ordering constraints
    Pct,
}

/// What a checkpoint belongs to.
fn identity(command: &Command, how: &str) -> anyhow::Result<String> {
    let name = command.program.display();
    let program = std::fs::read(&command.program).with_context(|| format!("cannot read {name}"))?;
    let digest: String = Sha256::digest(program)[..8]
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    Ok(format!(
        "{name} {:?}, sha-256 {digest}, {how}",
        command.args
    ))
}

fn schedule(text: &str) -> Result<Schedule, String> {
    text.parse()
        .map_err(|error: ample_stateless::BadSchedule| error.to_string())
}

/// What is to be done.
pub(super) enum Explore {
    /// Print the header.
    Header,
    /// Execute one schedule.
    Replay(Command, Schedule),
    /// Search.
    Search(Command, Box<Options>, Output),
    /// Show a report again.
    Show(PathBuf, Output),
}

/// How it is told.
pub(super) struct Output {
    /// As JSON.
    pub(super) json: bool,
    /// The page.
    pub(super) page: Option<PathBuf>,
}

/// Time between two checkpoints.
const INTERVAL: Duration = Duration::from_secs(10);

impl ExploreArgs {
    pub(super) fn ready(self) -> anyhow::Result<Explore> {
        if self.header {
            return Ok(Explore::Header);
        }
        let output = Output {
            json: self.format == FormatArg::Json,
            page: self.report,
        };
        if let Some(path) = self.from {
            return Ok(Explore::Show(path, output));
        }
        let mut words = self.command.into_iter();
        let Some(program) = words.next() else {
            bail!("there is no program to explore");
        };
        let program = PathBuf::from(program);
        let mut command = Command::new(program);
        command.args = words.collect();
        command.divergence = self.divergence;
        command.shows_output = self.output || self.replay.is_some();
        if let Some(schedule) = self.replay {
            return Ok(Explore::Replay(command, schedule));
        }
        let enumerates = matches!(
            self.algorithm,
            AlgorithmArg::Optimal | AlgorithmArg::Enumerate
        );
        if self.preemptions.is_some() && !enumerates {
            bail!(
                "--preemptions bounds the enumeration of all interleavings: it cannot be combined with --algorithm"
            );
        }
        let algorithm = match self.algorithm {
            AlgorithmArg::Optimal => Algorithm::Optimal,
            AlgorithmArg::Source => Algorithm::Source,
            AlgorithmArg::Persistent => Algorithm::Persistent,
            AlgorithmArg::Enumerate => Algorithm::Enumerate,
            AlgorithmArg::Random => Algorithm::Random(self.seed),
            AlgorithmArg::Pct => Algorithm::Pct(self.seed, 3),
        };
        let can_resume = algorithm.can_resume() && self.preemptions.is_none();
        if self.checkpoint.is_some() && !can_resume {
            bail!(
                "--checkpoint: only the optimal search can go on later; leave out --algorithm and --preemptions"
            );
        }
        let checkpoint = match self.checkpoint {
            None => None,
            Some(path) => {
                command.has_fixed_addresses = true;
                let depth = self.depth.unwrap_or(DEPTH);
                let identity = identity(&command, &format!("{algorithm:?}, depth {depth}"))?;
                let checkpoint = Checkpoint::new(&path, INTERVAL, identity);
                Some(match self.resume {
                    false => checkpoint,
                    true => checkpoint
                        .resume()
                        .with_context(|| path.display().to_string())?,
                })
            }
        };
        let options = Options {
            checkpoint,
            algorithm,
            preemptions: self.preemptions,
            time: self.time,
            executions: self.executions,
            depth: Some(self.depth.unwrap_or(DEPTH)),
            findings: self.findings as usize,
            effort: EFFORT,
            ..Options::default()
        };
        Ok(Explore::Search(command, Box::new(options), output))
    }
}
