//! The command line: arguments ([`args`]) become configurations, one file per subcommand, and exit codes.

mod args;
mod bench;
mod bench_args;
mod check;
mod explain;
mod explore;
mod explore_args;
mod files;
mod from_spin;
mod generate;
mod help;
mod ltl;
mod memory;
mod model;
mod monitor;
mod network;
mod output;
mod pages;
mod patience;
mod replay;
mod sections;
mod simulate;
mod store_args;
mod test;
mod test_args;
mod topics;
mod trails;
mod units;

pub use memory::Allocator;

use clap::{CommandFactory, FromArgMatches};
use output::{Unwritten, print, print_with, say, written};
use std::process::ExitCode;

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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
            Exit::Internal => 4,
        })
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
    let parsed = command().try_get_matches().and_then(|matches| {
        let given = args::given_in_vain(&matches);
        Ok((args::Args::from_arg_matches(&matches)?, given))
    });
    let (args, given) = match parsed {
        Ok(args) => args,
        // Help and version are no errors, and have only our own words.
        Err(help) if !help.use_stderr() => {
            return help::print_help(&help).unwrap_or_else(|e| lost(&e));
        }
        // What was typed is part of the message.
        Err(error) => {
            say(&error.render().to_string());
            let words = std::env::args_os().skip(1);
            say(&from_spin::hints(
                words.map(|w| w.to_string_lossy().into_owned()),
            ));
            return Exit::Usage;
        }
    };
    let result = match args.command {
        args::Command::Bench(args) => bench::run(&args.ready()),
        args::Command::Check(args) => match args.network(&given) {
            Ok(Some(config)) => network::run(&config),
            Ok(None) => args.ready().and_then(|config| check::run(&config)),
            Err(error) => Err(error),
        },
        args::Command::Completions(args) => generate::completions(&args),
        args::Command::Explain(args) => explain::run(&args.ready()),
        args::Command::Explore(args) => args.ready().and_then(explore::run),
        args::Command::Help(args) => help::run(&args),
        args::Command::Ltl(args) => ltl::run(&args.ready()),
        args::Command::Man(args) => generate::manual(&args),
        args::Command::Replay(args) => replay::run(&args.ready()),
        args::Command::Simulate(args) => simulate::run(&args.ready()),
        args::Command::Test(args) => test::run(&args.ready()),
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
