//! The model checker.
pub mod coverage;
pub mod limits;
pub mod machine;
pub mod search;
pub mod stats;
pub mod store;
pub mod trace;
pub mod verdict;
