//! A model searched execution by execution: `--strategy stateless`.
//!
//! The explorer of programs (`ample_stateless`) is given the machine as one more system: a process is a thread, its
//! pending operation is what the steps that leave its place access ([`Accesses`]), and a step is a move or an `atomic`
//! sequence as far as it goes. If a process can go on in several ways, that is a choice of data.
//! No state is stored: what the explorer remembers is one execution and what must still be reversed along it.
//!
//! - With the reduction the explorer executes one execution per Mazurkiewicz trace. That shows every assertion that can
//!   fail and every end state: a step sees the same values in all executions of a trace, and so does the end.
//! - Without it, or for models whose steps look at more than what they access ([`obstacle_to_accesses`]), every
//!   interleaving is executed.
//!
//! Which process may move is up to the guards of the model. The explorer cannot tell from values of objects what a
//! guard says, so it asks the machine ([`System::foresee`](ample_stateless::System::foresee)).
//!
//! A run that never ends is cut off after [`DEPTH`] steps or `--depth`; the search is then inconclusive.
//!
//! What would break it: accesses that leave out something. `tests/stateless.rs` compares with the search of all states
//! on random models, and the executions with the traces of all interleavings.
//!
//! [`Accesses`]: crate::reduce::Accesses
//! [`obstacle_to_accesses`]: crate::reduce::obstacle_to_accesses

mod processes;

use crate::coverage::Coverage;
use crate::limits::{Cancellation, Monitor, Stop};
use crate::machine::Move;
use crate::search::{Event, Found};
use ample_stateless::{Algorithm, Bound, FindingKind, Options, explore, replay};
use processes::Processes;
use promela_lite::program::Program;
use std::sync::Arc;

/// Steps of an execution unless another bound is given.
pub(crate) const DEPTH: u64 = 10_000;

/// What is asked for.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Asked {
    /// One execution per trace, and not every interleaving.
    pub(crate) reduction: bool,
    /// Whether an invalid end state is a violation.
    pub(crate) end_states: bool,
    /// Whether it goes on past violations.
    pub(crate) all_errors: bool,
    /// The most steps of an execution.
    pub(crate) depth: Option<u64>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Explored {
    /// What was found, in moves of the program that was searched.
    pub(crate) found: Vec<Found<Move>>,
    /// Executions that came to their end, and those given up because another one stands for them.
    pub(crate) executions: u64,
    pub(crate) blocked: u64,
    /// Steps, without those that only lead back.
    pub(crate) transitions: u64,
    pub(crate) longest: u64,
    /// Why something was left out, if it was.
    pub(crate) stop: Option<Stop>,
    /// Whether the first violation ended it.
    pub(crate) at_violation: bool,
    /// A guard depends on more steps than are tried in all orders.
    pub(crate) too_many_guards: bool,
    pub(crate) coverage: Coverage,
    /// An error in this library.
    pub(crate) contradiction: Option<String>,
}

/// Explores a program.
pub(crate) fn explore_executions(
    program: &Arc<Program>,
    asked: Asked,
    cancellation: &Cancellation,
    monitor: &mut dyn Monitor,
) -> Explored {
    let depth = asked.depth.unwrap_or(DEPTH);
    let mut processes = Processes::new(program, asked, cancellation.clone(), monitor);
    let options = Options {
        algorithm: match asked.reduction {
            true => Algorithm::Optimal,
            false => Algorithm::Enumerate,
        },
        depth: Some(usize::try_from(depth).unwrap_or(usize::MAX)),
        findings: match asked.all_errors {
            true => usize::MAX,
            false => 1,
        },
        explain: false,
        ..Options::default()
    };
    let report = explore(&mut processes, &options, |_, _| {});
    let mut found = Vec::new();
    let mut contradiction = None;
    for finding in &report.findings {
        if finding.kind == FindingKind::Nondeterminism {
            contradiction = Some(finding.message.clone());
            continue;
        }
        replay(&mut processes, &finding.schedule);
        let event = match finding.kind {
            FindingKind::Deadlock => Event::InvalidEnd,
            _ => match processes.fault_called(&finding.message) {
                Some(fault) => Event::Fault(fault),
                None => {
                    contradiction = Some(format!("{} does not happen again", finding.message));
                    continue;
                }
            },
        };
        let path = processes.path(&event);
        found.push(Found { event, path });
    }
    let left_out = |bound: &Bound| !matches!(bound, Bound::Findings | Bound::Crash);
    let stop = report
        .bounds
        .iter()
        .find(|bound| left_out(bound))
        .map(|bound| match bound {
            Bound::Depth => Stop::Depth(depth),
            Bound::Interrupted => processes.stopped().unwrap_or(Stop::Interrupted),
            _ => Stop::Representation,
        });
    Explored {
        executions: report.executions,
        blocked: report.blocked,
        transitions: report.transitions,
        longest: report.longest as u64,
        stop,
        at_violation: report.bounds.iter().any(|b| !left_out(b)),
        too_many_guards: report.bounds.contains(&Bound::Guards),
        coverage: processes.coverage(),
        found,
        contradiction,
    }
}
