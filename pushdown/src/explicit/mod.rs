//! Pushdown networks with their states written out: the semantics, the slow twins, and the convergence tests.

pub mod brute;
pub mod contexts;
pub mod converge;
pub mod creation;
pub mod network;
pub mod post;
pub mod stacks;
