//! Partial-order reduction by ample sets: in most states the moves of some of the processes suffice.
//!
//! [`obstacles`] says for which models the reduction may be used at all; [`visible`] which steps a property can tell apart;
//! [`facts`] what each place of the program touches now and later, [`reason`] when two such things depend on each other;
//! [`ample`] puts these together, and [`closed_sets`] looks at each state. [`operations`] says what
//! condition F is about. [`pids`] says in which states nobody can tell the numbers of processes and channels any more, with
//! [`channel_flow`] and [`counted`]; [`stubborn`], over [`steps`], finds smaller sets step by step; [`starts`] what a process
//! may do by way of those that it starts. [`label`] and [`why_not`] report on it, before and after a search. [`accesses`]
//! serves the stateless search.

mod accesses;
mod ample;
mod at_channels;
mod bits;
mod channel_flow;
mod channel_values;
mod closed_sets;
mod counted;
mod facts;
mod interference;
mod label;
mod mutual;
mod objects;
mod obstacles;
mod operations;
mod pids;
mod process_set;
mod reason;
mod starts;
mod steps;
mod stubborn;
mod traced;
mod uses;
mod visible;
mod why_not;

pub use accesses::{Accesses, obstacle_to_accesses};
pub use ample::Ample;
pub use label::Label;
pub use obstacles::{obstacle, obstacle_under_f};
pub use operations::{OperationId, Operations};
pub use steps::stubborn_obstacle;
pub use visible::Visible;
pub use why_not::{Rejection, WhyNot};
