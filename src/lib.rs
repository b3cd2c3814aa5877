//! The model checker.
pub mod machine;
pub mod report;
