//! Stateless model checking: a concurrent program is explored systematically, without storing
//! states, one execution per equivalence class of interleavings.
//!
//! What is explored is a [`System`]: threads whose next visible operation is known before it is
//! executed. [`explore()`] runs it again and again, each time in another order of dependent
//! operations, until every Mazurkiewicz trace was executed once ([`Algorithm::Optimal`]). It
//! reports deadlocks and failures, each with a [`Schedule`] that [`replay()`] executes again.
//!
//! ```
//! use ample_stateless::{Options, Verdict, explore, program::{Code, Program, Running}};
//!
//! // Two threads take two locks in opposite orders.
//! let mut program = Program::new();
//! let (a, b) = (program.lock(), program.lock());
//! program.thread([Code::Lock(a), Code::Lock(b), Code::Unlock(b), Code::Unlock(a)]);
//! program.thread([Code::Lock(b), Code::Lock(a), Code::Unlock(a), Code::Unlock(b)]);
//!
//! let mut options = Options::default();
//! options.findings = usize::MAX;
//! let report = explore(&mut Running::new(program), &options, |_, _| {});
//! assert_eq!(report.verdict(), Verdict::Violated);
//! assert_eq!(report.executions, 3);
//! assert_eq!(report.blocked, 0);
//! assert_eq!(report.findings[0].schedule.to_string(), "0 1");
//! ```
//!
//! The crate knows nothing of how programs are run. `ample-threads` runs Rust programs on
//! coroutines; [`program`] has small programs in memory, for tests.

mod checkpoint;
mod confirm;
mod execution;
mod explore;
mod fault;
mod json;
mod livelock;
mod operation;
pub mod program;
mod progress;
mod races;
mod replay;
mod report;
mod runner;
mod schedule;
mod search;
mod system;

pub use checkpoint::{BadCheckpoint, Checkpoint};
pub use explore::{Algorithm, Options, Trace, explore, explore_in_parallel};
#[doc(hidden)]
pub use fault::Fault;
pub use livelock::Patience;
pub use operation::{Access, Kind, Object, Operation, Values, queue_value};
pub use progress::{Progress, Status};
pub use replay::{Replay, replay, replay_patiently};
pub use report::{Bound, Critical, Finding, FindingKind, Report, Step, Verdict};
pub use runner::{End, describe};
pub use schedule::{BadSchedule, Schedule};
pub use system::{Failure, Pending, Performed, System, Thread};
