//! Searching: what a search is, apart from the order in which it goes.
//!
//! A [space](crate::space) says what can happen and makes it happen. A [store] says what is new. A strategy ([`Strategy`],
//! one file each) decides where to go next, on top of parts that they share: `expand` or `walk` for moving, `ledger` for
//! violations, statistics and limits.
//! None of them knows what a violation looks like to a user, and none of them says that a property holds: they hand out an
//! [`Outcome`], and only a search that left out nothing can put the evidence for it into [`End::Complete`].
//!
//! What counts as a state is SPIN's rule: see [`crate::stats`].

mod bfs;
pub(crate) mod chain;
pub(crate) mod connect;
mod dfs;
mod expand;
mod fair;
mod graph;
mod kept;
pub(crate) mod ledger;
mod lossy;
mod nested;
mod note;
mod shortest;
mod stack;
mod step_label;
pub(crate) mod steps;
mod strict;
mod swarm;
mod sweep;
mod team;
#[cfg(test)]
mod tests;
mod together;
#[cfg(test)]
mod toy;
#[cfg(test)]
mod twin;
mod walk;

pub use fair::AmpleChoice;
pub use graph::{Graph, GraphState, GraphStep, NoGraph, graph};
pub use lossy::{
    Estimate, Lossy, MoveOrder, search_cycles_lossy, search_lossy, search_lossy_together,
};
pub use shortest::shortest_cycle;
pub use swarm::{Swarm, SwarmMember, SwarmOutcome};

use crate::checkpoint::{Checkpoints, In, Resumption};
use crate::limits::{Limits, Monitor, Stop};
use crate::machine::Fault;
use crate::space::{Accepting, AmpleSets, Fair, Parallel};
use crate::stats::Stats;
use crate::store::{self, ExactStore, Notes};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

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
    /// Where the search is written to now and then.
    pub checkpoints: Option<Arc<Checkpoints>>,
    /// Where it goes on.
    pub resume: Option<Arc<Resumption>>,
}

/// Most searches are done before it pays to start a thread; and one worker always goes the same way.
const ALONE: u64 = 10_000;

impl Settings {
    /// An empty store.
    pub(crate) fn store(&self, notes: Notes, along: usize) -> ExactStore {
        let spill = self.spill.as_deref();
        ExactStore::new(self.store, notes, along, self.limits.memory, spill)
    }

    /// The store of a checkpoint.
    fn stored(&self, notes: Notes, along: usize, input: &mut In) -> io::Result<ExactStore> {
        let spill = self.spill.as_deref();
        ExactStore::restored(self.store, notes, along, self.limits.memory, spill, input)
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
            checkpoints: None,
            resume: None,
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

/// Evidence that every reachable state was visited. Only `ledger` makes one, an exploration by contexts that has
/// converged, one of all executions, and the hosts of a cluster together.
#[derive(Debug)]
pub struct Exhaustive(());

impl Exhaustive {
    /// Every execution was explored, up to the order of independent steps.
    pub(crate) fn explored() -> Exhaustive {
        Exhaustive(())
    }

    /// One more context reaches nothing new, and nothing was left out.
    pub(crate) fn converged() -> Exhaustive {
        Exhaustive(())
    }

    /// No worker of a cluster has had a state to expand in a whole round, and nothing was left out before.
    #[cfg(feature = "cluster")]
    pub(crate) fn nothing_to_expand() -> Exhaustive {
        Exhaustive(())
    }
}

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
pub fn search<P: AmpleSets>(
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
pub fn search_together<P: AmpleSets + Parallel>(
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
pub fn search_cycles_together<P: Accepting + Parallel>(
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
pub fn precompute_ample<P: AmpleSets>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> (Option<AmpleChoice>, Outcome<P::Move>) {
    fair::make_choice(space, settings, monitor)
}
