//! The command line: arguments ([`args`]) become configurations, one file per subcommand, and exit codes.

mod args;
mod bench;
mod bench_args;
mod check;
mod explain;
mod ltl;
mod model;
mod monitor;
mod network;
mod replay;
mod simulate;
mod store_args;
mod units;

use clap::Parser;
use std::io::{self, Write};
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
    /// The checker contradicts itself.
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

/// Runs the command that the process was started with.
pub fn run() -> Exit {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are no errors.
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Holds
            };
            let _ = error.print();
            return exit;
        }
    };
    let result = match args.command {
        args::Command::Bench(args) => bench::run(&args.ready()),
        args::Command::Check(args) => match args.network() {
            Ok(Some(config)) => network::run(&config),
            Ok(None) => args.ready().and_then(|config| check::run(&config)),
            Err(error) => Err(error),
        },
        args::Command::Explain(args) => explain::run(&args.ready()),
        args::Command::Ltl(args) => ltl::run(&args.ready()),
        args::Command::Replay(args) => replay::run(&args.ready()),
        args::Command::Simulate(args) => simulate::run(&args.ready()),
    };
    result.unwrap_or_else(|error| {
        say(&format!("error: {error:#}\n"));
        Exit::Usage
    })
}

/// Writes to standard output; a reader that has gone away is no error.
fn print(text: &str) {
    print_with(|out| out.write_all(text.as_bytes()));
}

/// Like [`print()`], for what is better not held in memory as a whole.
fn print_with(write: impl FnOnce(&mut io::BufWriter<io::StdoutLock<'static>>) -> io::Result<()>) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let _ = write(&mut out).and_then(|()| out.flush());
}

/// Writes to standard error.
fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
