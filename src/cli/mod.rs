//! The command line: arguments ([`args`]) become configurations, one file per subcommand, and exit codes.

mod args;
mod bench;
mod bench_args;
mod bench_contexts;
mod check;
mod cluster;
mod cluster_args;
mod cluster_local;
mod explain;
mod explore;
mod explore_args;
mod files;
mod from_spin;
mod generate;
mod graph;
mod graph_args;
mod help;
mod ltl;
mod memory;
mod model;
mod monitor;
mod network;
mod output;
mod pages;
mod patience;
mod project;
mod replay;
mod sections;
mod simulate;
mod store_args;
mod test;
mod test_args;
mod topics;
mod trails;
mod units;
pub(crate) mod watch;

pub use memory::Allocator;

use clap::{CommandFactory, FromArgMatches};
use monitor::Interrupt;
use output::{Unwritten, print, print_with, say, written};
use patience::limited;
use project::Project;
use std::ffi::OsString;
use std::process::ExitCode;
use watch::{FilesRead, watch};

/// What the process tells its caller. The only place where exit codes are numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything that was checked holds.
    Holds,
    /// There is a violation.
    Violated,
    /// The command line, a file or the model is wrong.
    Usage,
    /// Not everything could be visited.
    Inconclusive,
    /// The checker contradicts itself, or the result could not be written.
    Internal,
}

impl Exit {
    /// The number.
    fn code(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
            Exit::Internal => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

impl Exit {
    /// From the number that another process has sent.
    fn from_code(code: u8) -> Exit {
        let all = [Exit::Holds, Exit::Violated, Exit::Usage, Exit::Inconclusive];
        let found = all.into_iter().find(|exit| exit.code() == code);
        found.unwrap_or(Exit::Internal)
    }
}

impl From<crate::verdict::Word> for Exit {
    fn from(word: crate::verdict::Word) -> Exit {
        match word {
            crate::verdict::Word::Holds | crate::verdict::Word::ProbablyHolds => Exit::Holds,
            crate::verdict::Word::Violated => Exit::Violated,
            crate::verdict::Word::Inconclusive => Exit::Inconclusive,
        }
    }
}

/// The command line as it is parsed, and described by help, manual pages and completions.
fn command() -> clap::Command {
    help::with_words(sections::with_sections(args::Args::command()))
}

/// Runs the command that the process was started with.
pub fn run() -> Exit {
    // Writing a file beyond the limit on its size is then an error like others.
    #[cfg(unix)]
    // SAFETY: no handler is installed, so nothing runs when the signal comes.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
    let line: Vec<OsString> = std::env::args_os().collect();
    let parsed = match parse(&line) {
        Ok(parsed) => parsed,
        Err(exit) => return exit,
    };
    let watching = match &parsed.args.command {
        args::Command::Check(check) => check.is_watching(),
        _ => Ok(false),
    };
    match watching {
        Ok(true) => {}
        Ok(false) => return perform(parsed, None),
        Err(error) => return lost(&error),
    }
    watch(&Interrupt::install(), |files| match parse(&line) {
        Ok(parsed) => perform(parsed, Some(files)),
        Err(exit) => exit,
    })
}

/// A command line, together with what the project's file adds to it.
struct Parsed {
    args: args::Args,
    /// Options that mean nothing for what is checked.
    given: Vec<String>,
    project: Option<Project>,
}

/// Reads the command line; what is wrong with it has been said.
fn parse(line: &[OsString]) -> Result<Parsed, Exit> {
    let read = |line: &[OsString]| command().try_get_matches_from(line);
    let matches = read(line).map_err(|error| misread(&error, line))?;
    let given = args::given_in_vain(&matches);
    let project = Project::of(&matches).map_err(|error| lost(&error))?;
    let together = match &project {
        None => Ok(matches),
        Some(project) => read(&project.extend(line.to_vec())),
    };
    let parsed = together.and_then(|matches| args::Args::from_arg_matches(&matches));
    let args = parsed.map_err(|error| {
        let text = error.render().to_string();
        let place = project.as_ref().and_then(|project| project.place(&text));
        if let Some(place) = place {
            say(&format!("{place}: "));
        }
        misread(&error, line)
    })?;
    Ok(Parsed {
        args,
        given,
        project,
    })
}

/// Says what is wrong with a command line, or what it asks for.
fn misread(error: &clap::Error, line: &[OsString]) -> Exit {
    // What was typed is part of the message. Help and version are no errors, and have only our own words.
    if error.use_stderr() {
        say(&error.render().to_string());
        let words = line.iter().skip(1);
        say(&from_spin::hints(
            words.map(|w| w.to_string_lossy().into_owned()),
        ));
        return Exit::Usage;
    }
    help::print_help(error).unwrap_or_else(|e| lost(&e))
}

/// Does what was asked for; `files` notes what a check reads.
fn perform(parsed: Parsed, files: Option<&FilesRead>) -> Exit {
    let Parsed {
        args,
        given,
        project,
    } = parsed;
    let result = match args.command {
        args::Command::Bench(args) => match args.contexts() {
            Ok(Some(config)) => bench_contexts::run(&config),
            Ok(None) => bench::run(&args.ready()),
            Err(error) => Err(error),
        },
        args::Command::Check(args) => match args.network(&given) {
            Ok(Some(config)) => network::run(&config),
            Ok(None) => {
                if let Some(files) = files {
                    args.note_files(files);
                }
                args.ready().and_then(|mut config| {
                    config.configuration = project.as_ref().map(Project::described);
                    config.model.files = files.cloned();
                    check::run(&config)
                })
            }
            Err(error) => Err(error),
        },
        args::Command::Cluster(args) => args.ready().and_then(|config| cluster::run(&config)),
        args::Command::Completions(args) => generate::completions(&args),
        args::Command::Explain(args) => limited(args.time, move || explain::run(&args.ready())),
        args::Command::Explore(args) => args.ready().and_then(explore::run),
        args::Command::Graph(args) => graph::run(&args.ready()),
        args::Command::Help(args) => help::run(&args),
        args::Command::Ltl(args) => limited(args.time, move || ltl::run(&args.ready())),
        args::Command::Man(args) => generate::manual(&args),
        args::Command::Replay(args) => limited(args.time, move || replay::run(&args.ready())),
        args::Command::Simulate(args) => simulate::run(&args.ready()),
        args::Command::Test(args) => {
            let said = |option: &str| project.as_ref().is_some_and(|p| p.sets(option));
            args.ready(&said).and_then(|config| test::run(&config))
        }
    };
    result.unwrap_or_else(|error| lost(&error))
}

/// Says why there is no result.
fn lost(error: &anyhow::Error) -> Exit {
    say(&format!("error: {error:#}\n"));
    match error.is::<Unwritten>() {
        true => Exit::Internal,
        false => Exit::Usage,
    }
}
