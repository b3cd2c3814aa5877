//! The model checker.
pub mod explain;
pub mod machine;
pub mod reduce;
pub mod report;
