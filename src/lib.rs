//! The model checker.
pub mod limits;
pub mod machine;
pub mod search;
pub mod stats;
pub mod store;
