//! The one way from a model and a goal to a verdict.
//!
//! ```text
//! Source --read--> Model                        model.rs
//! Model, Goal, Options --decide--> Plan         plan.rs: which options can be combined
//! Plan --search--> Searched                     search.rs: the engines
//! Searched --confirm--> Checked                 confirm.rs, checked.rs
//! ```
//!
//! ```
//! use ample::check::{Goal, Model, Options};
//! use ample::Verdict;
//!
//! let model = Model::from_source("byte x; active [2] proctype P() { x = x + 1; assert(x < 2) }")?;
//! let checked = model.check(&Goal::Safety, &Options::default())?;
//! assert!(matches!(checked.verdict, Verdict::Violated));
//! for step in checked.findings[0].steps(&model)? {
//!     println!("{}: {}", step.actor.site.line, step.actor.site.statement);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checked;
#[cfg(feature = "cluster")]
mod cluster;
mod confirm;
mod fair;
mod goal;
mod graph;
mod loss;
mod model;
mod options;
mod plan;
mod prefix;
mod search;
mod table;
mod within;

pub use checked::{Checked, Failed, Finding};
#[cfg(feature = "cluster")]
pub use cluster::Part;
pub use confirm::{Confirmed, Denied, Refuted, confirm};
pub(crate) use confirm::{Word, word_of};
pub use fair::{Treated, Treatment, treatment};
pub use goal::{Automaton, Goal};
pub use graph::{GraphSize, NotDrawn, ProcessPlace, StateGraph, StateNode, StepEdge};
pub use loss::Loss;
pub use model::{ForeignAutomaton, Model, NotAModel, Read, Source, Variant};
#[cfg(feature = "cli")]
pub(crate) use options::resident_memory;
pub use options::{
    CheckpointOptions, Engine, FairnessOptions, Options, Splitting, Store, SwarmOptions,
    free_memory,
};
pub use plan::{Order, Plan, Refusal, StorePlan, Target, Within};
pub use search::{Explored, HostFigures};
pub use search::{Monitors, Searched, WhyNot};

/// What a monitor is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A search.
    Search,
    /// A search beside others, as members of a swarm make them.
    Member,
    /// Looking for a shorter counterexample.
    Shortening,
}
