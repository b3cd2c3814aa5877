//! The model checker.

pub mod report;
