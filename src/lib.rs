//! An explicit-state model checker for Promela.
//!
//! A [`Model`] is read from a text or a file; it states [goals](Goal): safety, `ltl` formulas, `never` claims, accept labels.
//! [`Model::check`] decides one, on the fly and with partial-order reduction where that is sound, and gives a verdict with
//! counterexamples that have been executed again and judged by the definitions.
//!
//! ```
//! use ample::{Model, Options, Verdict};
//!
//! let model = Model::from_source(
//!     "bit free = 1; byte inside;
//!      active [2] proctype P() {
//!          do :: atomic { free -> free = 0 }; inside++; inside--; free = 1 od
//!      }
//!      ltl alone { [] (inside <= 1) }",
//! )?;
//! for goal in model.goals() {
//!     let checked = model.check(&goal, &Options::default())?;
//!     assert!(matches!(checked.verdict, Verdict::Holds(_)), "{}", checked.reason());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Options`] say how; [`Plan::decide`] makes a [`Plan`] of them, or says why they do not go together. In a test, assert on the
//! verdict and print [`Checked::reason`] and [`Finding::steps`](check::Finding::steps) when it is not the one that is due.
//!
//! Features: `cli` (on by default) is the command `ample` and all it needs; without it the library has few dependencies.

#[cfg(feature = "cli")]
mod bench;
pub mod check;
mod checkpoint;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(feature = "cli")]
mod config;
mod contexts;
mod coverage;
mod executions;
mod explain;
mod explanation;
mod fairness;
mod faults;
#[cfg(feature = "cli")]
mod graph;
mod limits;
mod machine;
#[cfg(feature = "cli")]
mod page;
mod property;
mod reduce;
mod report;
mod search;
mod simulate;
mod space;
mod stats;
mod store;
#[cfg(feature = "cli")]
mod suite;
mod trace;
pub mod typed;
mod verdict;

pub use check::{Checked, Failed, Goal, Model, Options, Plan};
pub use limits::{Cancellation, Monitor, Progress, Stop};
pub use stats::Stats;
pub use verdict::{Verdict, ViolationKind, Word};

/// The parts, for tests of the parts. Not part of the interface: anything here may change.
#[doc(hidden)]
#[allow(missing_docs)]
pub mod internals {
    macro_rules! open {
        ($($part:ident)*) => { $(pub mod $part { pub use crate::$part::*; })* };
    }
    open! {
        checkpoint contexts coverage explain explanation fairness faults limits machine property reduce report search simulate
        space stats store trace verdict
    }
}
