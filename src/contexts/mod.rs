//! Models within a bound on contexts: a program as a pushdown network, explored symbolically.
//!
//! ```text
//! Program --translate--> Network (ample_pushdown)      cells, word, execute, channels, translate
//! Network --explore--> run of the network             ample_pushdown::symbolic
//! run of the network --moves--> moves of the program    moves
//! ```
//!
//! A context is a maximal part of a run in which one process moves; in a rendezvous the sender moves, and then the receiver.

mod body;
mod calls;
mod cells;
mod channels;
mod execute;
mod explore;
mod moves;
mod processes;
mod rendezvous;
mod start;
mod translate;
mod unsupported;
mod word;

pub use explore::{Ended, Explored, Settings, Splitting, Statistics, explore};
