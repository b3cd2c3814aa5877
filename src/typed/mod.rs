//! Transition systems written in Rust, checked by the same searches as Promela models.
//!
//! A [`TransitionSystem`] says where it starts, what can happen in a state, and what comes of it. A [`Check`] asks about its
//! states (invariants, deadlocks) and its runs (LTL formulas over named conditions), and reports for each goal whether it
//! holds, with a counterexample in the system's own states and actions if it does not.
//!
//! ```
//! use ample::typed::{Check, TransitionSystem};
//! use ample::{Options, Word};
//!
//! /// Two hands that each go up once, and one that may come down again.
//! struct Hands;
//!
//! impl TransitionSystem for Hands {
//!     type State = [bool; 2];
//!     type Action = usize;
//!     fn initial(&self) -> Vec<[bool; 2]> { vec![[false; 2]] }
//!     fn actions(&self, _: &[bool; 2], out: &mut Vec<usize>) { out.extend([0, 1]) }
//!     fn next(&self, up: &[bool; 2], &hand: &usize) -> Option<[bool; 2]> {
//!         let mut next = *up;
//!         next[hand] = if hand == 0 { !up[0] } else { true };
//!         Some(next)
//!     }
//! }
//!
//! let report = Check::new(&Hands)
//!     .invariant("not both", |up| up != &[true, true])
//!     .atom("first", |up| up[0])
//!     .ltl("comes down", "[] (first -> <> !first)")
//!     .check(&Options::default())?;
//! assert_eq!(report.verdict("not both"), Some(Word::Violated));
//! let counterexample = report.counterexample("not both").unwrap();
//! assert_eq!(counterexample.last(), &[true, true]);
//! // The other hand may move forever.
//! assert_eq!(report.verdict("comes down"), Some(Word::Violated));
//! # Ok::<(), ample::typed::Error>(())
//! ```
//!
//! How it works: states are kept as bytes ([`StateCode`]). `space` shows a system to the searches as a
//! [`Space`](crate::search::Space) whose states are these bytes, `product` pairs it with the automaton of the negation of a
//! formula. Whatever a search finds is executed again with the system's own functions and judged by the definitions
//! (`confirm`) before it is reported. Nothing is reduced: all successors of all states are visited.

mod check;
mod code;
mod confirm;
mod formula;
mod product;
mod report;
mod space;
mod successors;

pub use check::Check;
pub use code::StateCode;
pub use report::{Counterexample, Error, GoalReport, Report, Step};

use std::fmt::Debug;

/// A transition system.
///
/// All methods must give the same answer each time they are asked the same: a search forgets answers and asks again. They are
/// called from several threads.
pub trait TransitionSystem: Sync {
    /// A state: all that decides about what can happen from there on.
    type State: StateCode + Clone + PartialEq + Debug;

    /// Something that may happen.
    type Action: Clone + Debug + Send;

    /// The states to start from, at least one.
    fn initial(&self) -> Vec<Self::State>;

    /// Adds what may happen in a state to the empty `out`. Listing too much is fine: [`TransitionSystem::next`] can refuse.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// The state after an action, or `None` if it cannot happen in that state.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// Whether a run may end in a state in which nothing can happen; if not, it is a deadlock.
    fn may_end(&self, _state: &Self::State) -> bool {
        false
    }
}
