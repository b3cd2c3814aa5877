//! The options of a check. Whether they can be honoured is decided by [`super::Plan`].
//!
//! `None` stands for "not asked for": the plan then takes the best setting, and may change it with a note. What was asked
//! for is done, or refused.

pub use crate::checkpoint::CheckpointOptions;
pub use crate::contexts::Splitting;
use crate::fairness;
use crate::limits::Cancellation;
use crate::search::Strategy;
use promela_lite::opt::Passes;
use rustix::process::{Resource, getrlimit};
use std::path::PathBuf;
use std::time::Duration;

/// What was asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// Go on past violations and report each once.
    pub all_errors: bool,
    /// Whether an invalid end state violates safety.
    pub end_states: bool,
    /// The pure interleaving semantics: no pass over the program, no reduction.
    pub plain: bool,
    /// Passes over the program before it is searched.
    pub passes: Passes,
    /// Partial-order reduction.
    pub reduction: Option<bool>,
    /// Find the ample sets of the reduction by way of stubborn sets.
    pub stubborn: bool,
    /// Count what kept states from being reduced.
    pub why_not: bool,
    /// Which runs count.
    pub fairness: FairnessOptions,
    /// Let the automaton of a property read every state, even where it need not.
    pub classic_product: bool,
    /// Look for short counterexamples.
    pub shortest: bool,
    /// Order of the search for violations of safety.
    pub strategy: Option<Strategy>,
    /// Search for violations of safety execution by execution, without storing states.
    pub stateless: bool,
    /// What is kept of states.
    pub store: Option<Store>,
    /// Bits per state of a bitstate store.
    pub hash_functions: Option<u32>,
    /// Many bitstate searches instead of one.
    pub swarm: Option<SwarmOptions>,
    /// Whether a lossy search that found no violation is accepted.
    pub accept_probabilistic: bool,
    /// Where states go that find no room in memory.
    pub spill: Option<PathBuf>,
    /// Threads that search together.
    pub workers: Option<usize>,
    /// How many hosts search together; each has [`Options::workers`] threads. For [`crate::cluster`] only.
    pub hosts: Option<usize>,
    /// How many states one worker stores alone before the others join it.
    pub join_after: Option<u64>,
    /// Bytes for the store and the stack; nine tenths of what is free if not said.
    pub memory: Option<u64>,
    /// Length of a path.
    pub depth: Option<u64>,
    /// Number of stored states.
    pub states: Option<u64>,
    /// Time for each goal: to translate its formula, to analyse the program, to search, and to shorten counterexamples.
    pub time: Option<Duration>,
    /// At most so many contexts: maximal parts of a run in which one process moves.
    pub contexts: Option<usize>,
    /// How runs with a bound on contexts are explored.
    pub engine: Option<Engine>,
    /// Bits of `int` and `short` in the symbolic engine; runs in which a value needs more are left out, and reported.
    pub bits: Option<usize>,
    /// How the symbolic engine splits the sets of configurations after a context.
    pub splitting: Option<Splitting>,
    /// Where the search is written to now and then.
    pub checkpoint: Option<CheckpointOptions>,
    /// The file of a checkpoint that the search goes on from.
    pub resume: Option<PathBuf>,
    /// Lets others end the check of a goal at any time: it is then inconclusive.
    pub cancellation: Cancellation,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            all_errors: false,
            end_states: true,
            plain: false,
            passes: Passes {
                slice: true,
                merge: true,
                dead_variables: true,
            },
            reduction: None,
            stubborn: false,
            why_not: false,
            fairness: FairnessOptions::default(),
            classic_product: false,
            shortest: false,
            strategy: None,
            stateless: false,
            store: None,
            hash_functions: None,
            swarm: None,
            accept_probabilistic: false,
            spill: None,
            workers: None,
            hosts: None,
            join_after: None,
            memory: None,
            depth: None,
            states: None,
            time: None,
            contexts: None,
            engine: None,
            bits: None,
            splitting: None,
            checkpoint: None,
            resume: None,
            cancellation: Cancellation::default(),
        }
    }
}

/// How runs with a bound on contexts are explored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Sets of configurations as BDDs, with stacks of any depth.
    Symbolic,
    /// State by state, the number of contexts and who moved last being part of the state.
    Explicit,
}

/// What is kept of a state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Store {
    /// The state.
    Exact,
    /// The state, as a tree of parts that states share.
    Compressed,
    /// A fingerprint of 64 bits.
    Compact,
    /// A few bits of an array.
    Bitstate,
}

impl Store {
    /// Whether states may be taken for others.
    pub fn is_lossy(self) -> bool {
        matches!(self, Store::Compact | Store::Bitstate)
    }
}

/// Many bitstate searches that differ.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SwarmOptions {
    /// How many.
    pub members: u32,
    /// How they differ.
    pub seed: u64,
}

/// Fairness as asked for; proctypes by name.
#[derive(Clone, Debug, Default)]
pub struct FairnessOptions {
    /// For all proctypes that are not named.
    pub all: fairness::FairnessKind,
    /// Condition F instead.
    pub f: bool,
    /// These are weakly fair.
    pub weak: Vec<String>,
    /// These are strongly fair.
    pub strong: Vec<String>,
}

impl FairnessOptions {
    /// Whether any run is left out.
    pub fn is_none(&self) -> bool {
        self.all == fairness::FairnessKind::None
            && !self.f
            && self.weak.is_empty()
            && self.strong.is_empty()
    }
}

impl Options {
    /// The pure interleaving semantics.
    pub fn plain() -> Options {
        Options {
            plain: true,
            ..Options::default()
        }
    }
}

/// Nine tenths of the memory that can be had without swapping, where the system says how much that is. Where the address
/// space of the process is limited (`ulimit -v`), what is left of it counts too.
pub fn free_memory() -> Option<u64> {
    let mut free = meminfo("MemAvailable:")?.min(group_limit());
    if let Some(most) = getrlimit(Resource::As).current {
        let used = std::fs::read_to_string("/proc/self/statm").ok()?;
        let pages: u64 = used.split_whitespace().next()?.parse().ok()?;
        free = free.min(most.saturating_sub(pages * rustix::param::page_size() as u64));
    }
    Some(free / 10 * 9)
}

/// The memory that the process occupies, where the system says how much that is.
#[cfg(feature = "cli")]
pub(crate) fn resident_memory() -> Option<u64> {
    let used = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = used.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// All memory of the machine or of the control group, swap included, where the system says how much that is.
pub(super) fn all_memory() -> Option<u64> {
    let all = meminfo("MemTotal:")?.saturating_add(meminfo("SwapTotal:").unwrap_or(0));
    Some(all.min(group_limit()))
}

/// A row of what the system says about its memory, in bytes.
fn meminfo(row: &str) -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|l| l.starts_with(row))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

/// What the control group of the process may use.
fn group_limit() -> u64 {
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let bytes = group.and_then(|text| text.trim().parse().ok());
    bytes.unwrap_or(u64::MAX)
}
