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
//! [`Space`](crate::space::Space) whose states are these bytes, `product` pairs it with the automaton of the negation of a
//! formula. Whatever a search finds is executed again with the system's own functions and judged by the definitions
//! (`confirm`) before it is reported.
//!
//! # Reduction
//!
//! All successors of all states are visited, unless the system declares what its processes read and write
//! ([`TransitionSystem::processes`] and what follows there), and the conditions asked about do so too
//! ([`Check::invariant_reading`], [`Check::atom_reading`]). Then, where some processes do nothing that others can notice or
//! interfere with, only their actions are tried. `Options::reduction` switches it off. The verdicts are the same **if the
//! declarations are true**: [`Check::verify_declarations`] tries both orders of actions to see it.
//!
//! ```
//! use ample::typed::{Check, Footprint, TransitionSystem};
//! use ample::Options;
//!
//! /// Counters that each go up to 3; nobody else looks at them.
//! struct Counters;
//!
//! impl TransitionSystem for Counters {
//!     type State = [u8; 5];
//!     type Action = usize;
//!     fn initial(&self) -> Vec<[u8; 5]> { vec![[0; 5]] }
//!     fn actions(&self, _: &[u8; 5], out: &mut Vec<usize>) { out.extend(0..5) }
//!     fn next(&self, counters: &[u8; 5], &counter: &usize) -> Option<[u8; 5]> {
//!         let mut next = *counters;
//!         next[counter] += 1;
//!         (next[counter] <= 3).then_some(next)
//!     }
//!     fn may_end(&self, _: &[u8; 5]) -> bool { true }
//!
//!     fn processes(&self) -> usize { 5 }
//!     fn process(&self, &counter: &usize) -> usize { counter }
//!     fn footprint(&self, _: &[u8; 5], process: usize) -> Footprint {
//!         Footprint { reads: 1 << process, writes: 1 << process }
//!     }
//!     fn future(&self, state: &[u8; 5], process: usize) -> Footprint { self.footprint(state, process) }
//! }
//!
//! let check = Check::new(&Counters).no_deadlock().invariant_reading("first", 1 << 0, |counters| counters[0] <= 3);
//! let reduced = check.check(&Options::default())?;
//! reduced.assert_holds();
//! let full = check.check(&Options { reduction: Some(false), ..Options::default() })?;
//! full.assert_holds();
//! assert_eq!(full.goals[0].states, 4u64.pow(5));
//! assert!(reduced.goals[0].states < 50);
//! # Ok::<(), ample::typed::Error>(())
//! ```

mod changes;
mod check;
mod code;
mod confirm;
mod formula;
mod product;
mod reduction;
mod report;
mod space;
mod successors;

pub use check::Check;
pub use code::StateCode;
pub use reduction::Footprint;
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

    /// How many processes there are, if the system is to be reduced; each of its actions then belongs to one of them. With
    /// 0, or more than 64, it is not reduced, and the methods below are not asked.
    fn processes(&self) -> usize {
        0
    }

    /// The process of an action, less than [`TransitionSystem::processes`].
    fn process(&self, _action: &Self::Action) -> usize {
        0
    }

    /// What a process reads and writes with what it may do in a state: all that decides which of its actions are listed,
    /// whether they can happen and what they do, also of those that cannot happen now; and all that they may change.
    fn footprint(&self, _state: &Self::State, _process: usize) -> Footprint {
        Footprint::everything()
    }

    /// What a process may read and write from a state on, in whatever states come, whoever else moves: at least its
    /// footprints in all of them.
    fn future(&self, _state: &Self::State, _process: usize) -> Footprint {
        Footprint::everything()
    }
}
