//! Transition systems over byte vectors: what a search goes through.
//!
//! [`Space`] is the seam between what can happen and the order in which it is explored; nothing on either side of it knows the
//! other. The innermost space is the machine ([`System`]); [`Labels`], [`Product`] and [`Rooted`] are layers around it, and
//! models written in Rust have spaces of their own ([`crate::typed`]). What only some searches ask for are traits of their
//! own: ample sets ([`AmpleSets`]), accepting states ([`Accepting`]), fairness ([`Fair`]), several workers ([`Parallel`]).
//!
//! No method has a default: a layer that does not hand one through says what it does instead.

mod contexts;
mod fairness;
mod labels;
pub(crate) mod letters;
mod prefixes;
mod product;
mod recorded;
mod rooted;
mod rounds;
mod system;

pub use crate::machine::MoveInfo;
pub use contexts::Contexts;
pub use labels::Labels;
pub(crate) use prefixes::{BadPrefixes, is_bad};
pub use product::{Product, ProductMove, Stepping};
pub(crate) use recorded::{Decisions, Recorded};
pub(crate) use rooted::Rooted;
pub(crate) use rounds::Rounds;
pub use system::System;

use crate::checkpoint::Persist;
use crate::fairness::{Constraints, NumberSet};
use crate::machine::{Fault, Pid, Step};
use std::fmt::Debug;

/// A move that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub fault: Fault,
    /// A failed assertion does not stop the model: the successor is complete, and this is the step to it.
    pub step: Option<Step>,
}

/// One thing that can happen.
pub trait Transition: Copy + Debug + PartialEq + Persist {
    /// Adds the processes that make this move, where there are processes.
    fn add_movers(self, into: &mut NumberSet);
}

/// A transition system over byte vectors.
///
/// A state is the vector up to [`Space::stored_len`]; the bytes after it go along but do not tell states apart.
pub trait Space {
    /// One thing that can happen.
    type Move: Transition;

    /// Writes the initial state.
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Fills the empty `out` with what can happen in `state`, in the order in which it is to be tried. With
    /// `control`, only that process may move, unless it cannot. When listing a move fails, `out` holds the
    /// other moves nevertheless.
    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<Self::Move>,
    ) -> Result<MoveInfo, (Self::Move, Fault)>;

    /// Writes the successor of `state` to `next`.
    fn apply(
        &mut self,
        state: &[u8],
        mv: Self::Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure>;

    /// Completes a state that is about to be stored: no process has control in it. Says whether it is wanted at all.
    fn settle(&mut self, state: &mut Vec<u8>) -> Result<bool, Fault>;

    /// How many bytes of `state` make up what is stored.
    fn stored_len(&self, state: &[u8]) -> usize;

    /// What tells this state, in which nothing can happen, from other invalid end states: where those processes are that
    /// should not rest. `None` if every process may rest where it is.
    fn stuck_at(&self, state: &[u8]) -> Option<Vec<u32>>;
}

/// Splits a state vector into what is stored as key and what goes along.
pub(crate) fn split<'s, P: Space>(space: &P, state: &'s [u8]) -> (&'s [u8], &'s [u8]) {
    state.split_at(space.stored_len(state))
}

/// A space that can say which of the moves of a state suffice, if only certain provisos are kept that depend on the search.
pub trait AmpleSets: Space {
    /// Whether [`AmpleSets::ample`] ever says anything.
    fn reduces(&self) -> bool;

    /// Moves those of an ample set to the front of `moves`, which are all that are enabled in `state` without control and
    /// timeout, and says how many they are. `index` counts the sets, best first; `None` when there are no more. The answer
    /// depends on nothing but `state` and `index`.
    fn ample(&mut self, state: &[u8], moves: &mut Vec<Self::Move>, index: usize) -> Option<usize>;

    /// The number of an ample set of `state` that a process is in, if no other one is better; `moves` are as for
    /// [`AmpleSets::ample`].
    fn ample_with(&mut self, state: &[u8], moves: &[Self::Move], pid: Pid) -> Option<usize>;

    /// The number of the ample set of `state` that was decided upon beforehand, if it is one.
    fn planned(&mut self, state: &[u8]) -> Option<u32>;

    /// No ample set of `state` satisfied the proviso: all of `moves` are made.
    fn refused(&mut self, state: &[u8], moves: &[Self::Move]);

    /// What has been found out about the model that is part of the search, for a checkpoint.
    fn findings(&self) -> Vec<u64>;

    /// Takes over what [`AmpleSets::findings`] gave, besides what is known already.
    fn restore(&mut self, findings: &[u64]);
}

/// A space that several workers search, each with one of its own.
pub trait Parallel: Space + Send {
    /// Takes over what another worker's space has found out about the model.
    fn take_over(&mut self, other: Self);
}

/// A space some of whose states are accepting.
pub trait Accepting: AmpleSets {
    /// Whether this state is.
    fn is_accepting(&mut self, state: &[u8]) -> bool;

    /// Whether it is known that states that reach each other are either all accepting, or on no accepting cycle (but for
    /// states that every cycle leaves at once). Then any cycle through an accepting state closes on the path of a depth-first
    /// search.
    fn is_weak(&self) -> bool;

    /// Whether a state is transient: no cycle that is searched for goes through it or leads to it, so that it can only occur
    /// before the cycle of a lasso. (It may lie on other cycles.)
    fn is_transient(&self, state: &[u8]) -> bool;
}

/// A space with fairness constraints. A *constraint* is a number, of a process or of an operation, that is enabled in some
/// states. A step performs a set of *actions*, numbers as well, each of which satisfies some constraints.
pub trait Fair: Accepting {
    /// Whether the moves of a state show which processes can move: not where the automaton chooses first.
    fn shows_enabledness(&self, state: &[u8]) -> bool;

    /// Adds the actions of a step of `state` that begins with a move and in which `movers` move. The actions of all enabled
    /// steps are the constraints that are enabled in `state`.
    fn actions(
        &mut self,
        state: &[u8],
        first: Self::Move,
        movers: &NumberSet,
        into: &mut NumberSet,
    );

    /// The constraints on a run that visits `state` infinitely often; `enabled` are those that are enabled there.
    fn constraints(&mut self, state: &[u8], enabled: &NumberSet) -> Constraints;

    /// Those of the constraints that some of the actions satisfy.
    fn satisfied(&self, actions: &NumberSet, constraints: &NumberSet) -> NumberSet;
}
