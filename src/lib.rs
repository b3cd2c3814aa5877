//! The model checker.
pub mod machine;
