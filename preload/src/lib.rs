//! Unmodified C programs as a system that the explorer can execute.
//!
//! A library is loaded into the program (`LD_PRELOAD`). It stands before the functions by which threads
//! and processes communicate, and lets one thread run at a time. What it announces becomes an operation
//! here ([`Program`] is the [`System`](ample_stateless::System)), and the explorer's rules decide what is
//! enabled. The library is part of this crate as bytes; it reaches the program as a file in memory, so
//! that nothing has to be installed and nothing is left behind.
//!
//! ```no_run
//! use ample_preload::{Command, explore};
//! use ample_stateless::Options;
//!
//! let command = Command::new("./philosophers");
//! let explored = explore(&command, &Options::default(), |_, _| {})?;
//! println!("{}", explored.report);
//! # Ok::<(), ample_preload::Error>(())
//! ```

mod announce;
mod cells;
mod execute;
mod fault;
mod host;
mod ipc;
mod objects;
mod program;
#[allow(missing_docs, dead_code, unreachable_pub)]
mod protocol;
mod symbols;
mod task;

#[doc(hidden)]
pub use fault::Fault;
pub use host::{Command, Error};
pub use program::Program;

use ample_stateless::{Options, Replay, Report, Schedule, Trace};

/// The header for programs that choose values or assert.
pub const HEADER: &str = include_str!("../include/ample.h");

/// The library.
pub(crate) const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.so"));

/// What an exploration gave.
#[derive(Debug)]
pub struct Explored {
    /// The explorer's report.
    pub report: Report,
    /// What the program did that cannot be controlled; then the report means nothing.
    pub escape: Option<String>,
    /// Whether memory was accessed in ways that made it necessary to begin again.
    pub restarts: u32,
}

/// Explores a program.
///
/// Variables are found while the program runs. When two accesses overlap without being the same, what
/// was taken for two variables is one, and the exploration begins again with that knowledge.
///
/// # Errors
/// If the program cannot be started under control.
pub fn explore(
    command: &Command,
    options: &Options,
    mut observe: impl FnMut(&mut Program, &Trace<'_>),
) -> Result<Explored, Error> {
    let mut program = Program::start(command)?;
    let begin = std::time::Instant::now();
    let mut restarts = 0;
    let mut from_beginning = false;
    loop {
        let mut options = options.clone();
        if let Some(checkpoint) = options.checkpoint.as_mut().filter(|_| from_beginning) {
            checkpoint.begin_again();
        }
        options.time = options.time.map(|t| t.saturating_sub(begin.elapsed()));
        let mut report = ample_stateless::explore(&mut program, &options, |program, trace| {
            if !program.begins_again() {
                observe(program, trace);
            }
        });
        if let Some(error) = program.take_error() {
            return Err(error);
        }
        if program.learn() {
            restarts += 1;
            from_beginning = true;
            continue;
        }
        report.time = begin.elapsed();
        return Ok(Explored {
            report,
            escape: program.take_escape(),
            restarts,
        });
    }
}

/// Executes one schedule of a program.
///
/// # Errors
/// If the program cannot be started under control, or left it.
pub fn replay(command: &Command, schedule: &Schedule) -> Result<Replay, Error> {
    let mut program = Program::start(command)?;
    loop {
        let replay = ample_stateless::replay(&mut program, schedule);
        if let Some(error) = program.take_error() {
            return Err(error);
        }
        if program.learn() {
            continue;
        }
        return match program.take_escape() {
            Some(what) => Err(Error::Escape(what)),
            None => Ok(replay),
        };
    }
}
