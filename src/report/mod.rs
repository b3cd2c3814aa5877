//! The report: one set of data, rendered as text or as JSON.
//!
//! The names of the fields are the names in the JSON, and stable: `docs/schema` describes them. Rendering never decides
//! anything: verdicts, reasons and figures come from the search.

mod coverage;
#[cfg(feature = "cli")]
pub mod diagnostics;
pub mod explanation;
mod fold;
#[cfg(feature = "cli")]
pub mod formula;
pub mod json;
#[cfg(feature = "cli")]
pub mod junit;
mod place;
pub mod printable;
mod run;
#[cfg(feature = "cli")]
pub mod sarif;
pub mod text;

pub use place::{place, shown};
pub use run::{Telling, run};

use crate::coverage::ProctypeCoverage;
use crate::explanation::Explanation;
use crate::trace::Told;
use crate::verdict::{ViolationKind, Word};
use serde::Serialize;

/// The version of the JSON documents described in `docs/schema`. It grows when a field is removed, renamed, or means something
/// else.
pub const SCHEMA_VERSION: u32 = 1;

/// The result of `ample check`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`]
    pub schema_version: u32,
    /// The worst of the results.
    pub verdict: Word,
    /// The model's file.
    pub model: String,
    /// See [`crate::trace::digest`]; none if the model was not read to its end.
    pub model_digest: Option<String>,
    /// Version of the checker.
    pub version: String,
    /// The project's file, and the options taken from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// Time.
    pub seconds: Seconds,
    /// Why nothing was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
    /// One per run.
    pub results: Vec<RunReport>,
}

/// Time taken in all.
#[derive(Copy, Clone, Debug, Default, Serialize)]
pub struct Seconds {
    /// From text to program.
    pub compile: f64,
    /// From start to verdict.
    pub total: f64,
}

/// The result of one run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// `safety`, or the name of a property.
    pub property: String,
    /// The verdict.
    pub verdict: Word,
    /// Why, in words.
    pub reason: String,
    /// Why, as a name that stays the same.
    pub reason_code: &'static str,
    /// What to do next, in words.
    #[serde(skip)]
    pub advice: String,
    /// What was found.
    pub violations: Vec<ViolationReport>,
    /// How it was searched.
    pub search: SearchReport,
    /// States stored.
    pub states: u64,
    /// Arrivals at a state.
    pub transitions: u64,
    /// Arrivals at a state already stored.
    pub matched: u64,
    /// Moves inside `atomic` sequences.
    pub atomic_steps: u64,
    /// States in which only an ample set of moves was made.
    pub reduced_states: u64,
    /// Violations met, repetitions included.
    pub errors: u64,
    /// Longest path, in moves.
    pub depth: u64,
    /// Longest state vector.
    pub vector_bytes: u64,
    /// Memory.
    pub memory_bytes: Memory,
    /// Time of the search.
    pub seconds: f64,
    /// What was never executed; only after a complete search.
    pub coverage: Option<Vec<ProctypeCoverage>>,
    /// Executions, where these were searched and not states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// What the symbolic engine did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<ContextsReport>,
    /// Of a search by several hosts: what each did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostReport>,
}

/// What one host of a cluster did.
#[derive(Clone, Debug, Serialize)]
pub struct HostReport {
    /// Its number and address.
    pub name: String,
    /// Threads.
    pub workers: usize,
    /// States stored.
    pub states: u64,
    /// Arrivals at these states.
    pub transitions: u64,
    /// Memory.
    pub memory_bytes: Memory,
    /// Bytes sent to other hosts.
    pub sent_bytes: u64,
    /// The most bytes of states that were on their way from one of its workers at a time.
    pub in_flight_bytes: u64,
}

/// An exploration within a bound on contexts.
#[derive(Copy, Clone, Debug, Serialize)]
pub struct ContextsReport {
    /// The bound.
    pub bound: usize,
    /// Contexts that were completely explored.
    pub finished: usize,
    /// `lazy` or `eager`.
    pub splitting: &'static str,
    /// Bits of `int` and `short`.
    pub int_bits: usize,
    /// View tuples from which contexts were explored.
    pub view_tuples: usize,
    /// Contexts of a thread that were computed.
    pub computed: usize,
    /// The most BDD nodes.
    pub bdd_nodes: usize,
    /// Bits of the shared state.
    pub global_bits: usize,
    /// Bits of a frame.
    pub local_bits: usize,
}

/// Memory of a search.
#[derive(Copy, Clone, Debug, Default, Serialize)]
pub struct Memory {
    /// The store.
    pub store: u64,
    /// The stack or queue.
    pub stack: u64,
    /// Both.
    pub total: u64,
}

/// How a run was searched.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReport {
    /// `dfs`, `bfs`
    pub strategy: String,
    /// `none`, or the name of the partial-order reduction.
    pub reduction: String,
    /// `none`, or the kind of fairness.
    pub fairness: String,
    /// `exact`, …
    pub store: String,
    /// Threads that took part.
    pub workers: u32,
    /// Passes over the program.
    pub passes: Vec<String>,
    /// Anything that was switched off or adapted, and why.
    pub notes: Vec<String>,
    /// What a lossy store may have left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossReport>,
    /// Why states were not reduced, when that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<WhyNotReport>,
}

/// What a lossy store may have left out.
#[derive(Clone, Debug, Serialize)]
pub struct LossReport {
    /// The probability that some reachable state was left out.
    pub omission_probability: f64,
    /// The part of the states met that was visited, as expected.
    pub coverage: f64,
    /// For bitstate: bits for each state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_factor: Option<f64>,
}

/// Why states were not reduced.
#[derive(Clone, Debug, Serialize)]
pub struct WhyNotReport {
    /// States in which several processes could move and all moves were made.
    pub states: u64,
    /// What kept processes from going first there, most frequent first.
    pub refusals: Vec<RefusalReport>,
}

/// What kept a process from going first.
#[derive(Clone, Debug, Serialize)]
pub struct RefusalReport {
    /// `C1`, `C2'` or `C3'`.
    pub condition: String,
    /// In how many states.
    pub times: u64,
    /// The proctype.
    pub proctype: String,
    /// File.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// The statement that could not go first.
    pub statement: String,
    /// Why.
    pub reason: String,
}

/// What becomes of a process in a cycle.
#[derive(Clone, Debug, Serialize)]
pub struct FairTo {
    /// Its number.
    pub pid: u16,
    /// Its type.
    pub proctype: String,
    /// In words.
    pub because: String,
}

/// A violation.
#[derive(Clone, Debug, Serialize)]
pub struct ViolationReport {
    /// What kind.
    pub kind: ViolationKind,
    /// In words.
    pub message: String,
    /// File.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// Step by step.
    pub trail: Vec<Told>,
    /// For a cycle: the number of steps before it. When all steps come before it, the run ends there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_start: Option<usize>,
    /// For a cycle under fairness: what becomes of each process in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fair_to: Vec<FairTo>,
    /// What was required, and why the run breaks it.
    pub explanation: Option<Explanation>,
    /// Where the trail was written to, in our format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trail_file: Option<String>,
}
