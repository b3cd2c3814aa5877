//! Boolean programs: variables of a few bits, procedures with parameters and results, threads; as symbolic networks.
//!
//! [`program`] is what programs are made of, [`compile`] makes the network. Every step is one rule: a guard and
//! assignments that read and write at once.

pub mod compile;
pub mod expression;
pub mod program;
