//! Searching: what a search is, apart from the order in which it goes.
//!
//! A [`Space`] says what can happen and makes it happen; it is the machine itself, or a layer around a machine (a product
//! with an automaton, a reduction). A [store] says what is new. A strategy ([`Strategy`], one file each) decides where to
//! go next, on top of parts that they share: `expand` or `walk` for moving, `ledger` for violations, statistics and limits.
//! None of them knows what a violation looks like to a user, and none of them says that a property holds: they hand out an
//! [`Outcome`], and only a search that left out nothing can put the evidence for it into [`End::Complete`].
//!
//! What counts as a state is SPIN's rule: see [`crate::stats`].

mod bfs;
mod chain;
mod connect;
mod dfs;
mod expand;
mod fair;
mod ledger;
mod lossy;
mod nested;
mod note;
mod shared_note;
mod shortest;
mod stack;
mod step_label;
mod steps;
mod strict;
mod swarm;
mod sweep;
mod system;
mod team;
#[cfg(test)]
mod tests;
mod together;
#[cfg(test)]
mod toy;
#[cfg(test)]
mod twin;
mod walk;

pub use crate::machine::MoveInfo;
pub use fair::AmpleChoice;
pub use lossy::{
    Estimate, Lossy, MoveOrder, search_cycles_lossy, search_lossy, search_lossy_together,
};
pub use shortest::shortest_cycle;
pub use swarm::{Swarm, SwarmMember, SwarmOutcome};
pub use system::System;

use crate::fairness::{Constraints, NumberSet};
use crate::limits::{Limits, Monitor, Stop};
use crate::machine::{Fault, Pid, Step};
use crate::stats::Stats;
use crate::store::{self, ExactStore, Notes};
use std::fmt::Debug;
use std::path::PathBuf;

/// A move that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub fault: Fault,
    /// A failed assertion does not stop the model: the successor is complete, and this is the step to it.
    pub step: Option<Step>,
}

/// Declares that a space never reduces. No method of [`Space`] has a default that a wrapper could forget to hand through:
/// what a space does not do, it says.
macro_rules! never_reduces {
    () => {
        fn reduces(&self) -> bool {
            false
        }

        fn ample(&mut self, _: &[u8], _: &mut Vec<Self::Move>, _: usize) -> Option<usize> {
            None
        }

        fn ample_with(&mut self, _: &[u8], _: &[Self::Move], _: Pid) -> Option<usize> {
            None
        }

        fn planned(&mut self, _: &[u8]) -> Option<u32> {
            None
        }

        fn refused(&mut self, _: &[u8], _: &[Self::Move]) {}
    };
}

/// Declares that states are complete when a move has been made.
macro_rules! never_settles {
    () => {
        const SETTLES: bool = false;

        fn settle(&mut self, _: &mut Vec<u8>) -> Result<bool, Fault> {
            Ok(true)
        }
    };
}

pub(crate) use never_reduces;
pub(crate) use never_settles;

/// A transition system over byte vectors.
///
/// A state is the vector up to [`Space::stored_len`]; the bytes after it go along but do not tell states apart.
pub trait Space {
    /// One thing that can happen.
    type Move: Copy + Debug + PartialEq;

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

    /// Adds the processes that make a move.
    fn movers(&self, mv: Self::Move, into: &mut NumberSet);

    /// Whether [`Space::ample`] ever says anything.
    fn reduces(&self) -> bool;

    /// Moves those of an ample set to the front of `moves`, which are all that are enabled in `state` without control and
    /// timeout, and says how many they are. `index` counts the sets, best first; `None` when there are no more. The answer
    /// depends on nothing but `state` and `index`.
    fn ample(&mut self, state: &[u8], moves: &mut Vec<Self::Move>, index: usize) -> Option<usize>;

    /// The number of an ample set of `state` that a process is in, if no other one is better; `moves` are as for
    /// [`Space::ample`].
    fn ample_with(&mut self, state: &[u8], moves: &[Self::Move], pid: Pid) -> Option<usize>;

    /// The number of the ample set of `state` that was decided upon beforehand, if it is one.
    fn planned(&mut self, state: &[u8]) -> Option<u32>;

    /// No ample set of `state` satisfied the proviso: all of `moves` are made.
    fn refused(&mut self, state: &[u8], moves: &[Self::Move]);

    /// Writes the successor of `state` to `next`.
    fn apply(
        &mut self,
        state: &[u8],
        mv: Self::Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure>;

    /// Whether [`Space::settle`] does anything.
    const SETTLES: bool;

    /// Completes a state that is about to be stored: no process has control in it. Says whether it is wanted at all.
    fn settle(&mut self, state: &mut Vec<u8>) -> Result<bool, Fault>;

    /// Whether [`Space::is_transient`] is ever false.
    const SORTS: bool;

    /// Whether a state is transient: no cycle that is searched for goes through it or leads to it, so that it can only occur
    /// before the cycle of a lasso. (It may lie on other cycles.)
    fn is_transient(&self, state: &[u8]) -> bool;

    /// How many bytes of `state` make up what is stored.
    fn stored_len(&self, state: &[u8]) -> usize;

    /// Whether every process may rest where it is.
    fn is_valid_end(&self, state: &[u8]) -> bool;

    /// Appends what tells this invalid end state from others: where those processes are that should not rest.
    fn stuck_at(&self, state: &[u8], out: &mut Vec<u32>);

    /// Takes over what another worker's space has found out about the model.
    fn take_over(&mut self, other: Self)
    where
        Self: Sized;
}

/// A space some of whose states are accepting.
pub trait Accepting: Space {
    /// Whether this state is.
    fn is_accepting(&mut self, state: &[u8]) -> bool;

    /// Whether it is known that states that reach each other are either all accepting, or on no accepting cycle (but for
    /// states that every cycle leaves at once). Then any cycle through an accepting state closes on the path of a depth-first
    /// search.
    fn is_weak(&self) -> bool;
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

/// The order of a search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Depth first: the least memory.
    Dfs,
    /// Depth first in the textbook order, slower: a state is marked when it is entered.
    StrictDfs,
    /// Breadth first: the shortest counterexamples.
    Bfs,
}

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Go on past violations.
    pub all_errors: bool,
    /// Whether an invalid end state is a violation.
    pub end_states: bool,
    /// Bounds.
    pub limits: Limits,
    /// How states are kept.
    pub store: store::StoreKind,
    /// Where states go that find no room in memory, if the store can do that.
    pub spill: Option<PathBuf>,
    /// How many threads search together, where the search can be shared: see [`search_together`].
    pub workers: usize,
    /// How many states one of them stores alone before the others join it.
    pub alone: u64,
}

/// Most searches are done before it pays to start a thread; and one worker always goes the same way.
const ALONE: u64 = 10_000;

impl Settings {
    /// An empty store.
    fn store(&self, notes: Notes, along: usize) -> ExactStore {
        let spill = self.spill.as_deref();
        ExactStore::new(self.store, notes, along, self.limits.memory, spill)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            all_errors: false,
            end_states: true,
            limits: Limits::default(),
            store: store::StoreKind::default(),
            spill: None,
            workers: 1,
            alone: ALONE,
        }
    }
}

/// What was found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A move failed (the last move of the path).
    Fault(Fault),
    /// Nothing can happen and some process should not rest where it is.
    InvalidEnd,
    /// The moves from this one on lead back to where they start, through an accepting state.
    Cycle {
        /// Number of moves before the cycle.
        start: usize,
    },
}

/// Something found, and how to get there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// What.
    pub event: Event,
    /// All moves from the initial state.
    pub path: Vec<M>,
}

/// Evidence that every reachable state was visited. Only `ledger` makes one.
#[derive(Debug)]
pub struct Exhaustive(());

/// How a search ended.
#[derive(Debug)]
pub enum End {
    /// Nothing was left out.
    Complete(Exhaustive),
    /// The first violation ended it.
    AtViolation,
    /// Something was left out.
    Stopped(Stop),
}

/// The result of a search.
#[derive(Debug)]
pub struct Outcome<M> {
    /// Violations, each once, in the order in which they were found.
    pub found: Vec<Found<M>>,
    /// How it ended.
    pub end: End,
    /// Figures.
    pub stats: Stats,
}

impl<M> Outcome<M> {
    /// That of a search that was stopped before it began.
    pub fn not_begun(stop: Stop) -> Outcome<M> {
        Outcome {
            found: Vec::new(),
            end: End::Stopped(stop),
            stats: Stats::default(),
        }
    }
}

/// Searches `space`.
pub fn search<P: Space>(
    strategy: Strategy,
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    match strategy {
        Strategy::Dfs => dfs::search(space, settings, monitor),
        Strategy::StrictDfs => strict::search(space, settings, monitor),
        Strategy::Bfs => bfs::search(space, settings, monitor),
    }
}

/// Searches `space` depth first with [`Settings::workers`] threads; `make` gives each a space like it. All states are
/// visited as by one, but in another order each time: of several violations another one may be found.
pub fn search_together<P: Space + Send>(
    space: &mut P,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    dfs::search_together(space, make, settings, monitor)
}

/// Searches for a cycle through an accepting state.
pub fn search_cycles<P: Accepting>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    nested::search(space, settings, monitor)
}

/// The same with [`Settings::workers`] threads; `make` gives each a space like `space`. Of several cycles another one may
/// be found each time.
pub fn search_cycles_together<P: Accepting + Send>(
    space: &mut P,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    together::search(space, make, settings, monitor)
}

/// Searches for a cycle through an accepting state that is fair.
pub fn search_fair_cycles<P: Fair>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    fair::search(space, settings, monitor)
}

/// Decides for every state of a space which of its moves are to be made, under condition F; `None` if the outcome says that
/// something was left out.
pub fn precompute_ample<P: Space>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> (Option<AmpleChoice>, Outcome<P::Move>) {
    fair::make_choice(space, settings, monitor)
}

/// Splits a state vector into what is stored as key and what goes along.
fn split<'s, P: Space>(space: &P, state: &'s [u8]) -> (&'s [u8], &'s [u8]) {
    state.split_at(space.stored_len(state))
}
