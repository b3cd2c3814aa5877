//! The model checker.
pub mod bench;
pub mod cli;
pub mod config;
pub mod coverage;
pub mod explain;
pub mod faults;
pub mod limits;
pub mod machine;
pub mod product;
pub mod reduce;
pub mod report;
pub mod search;
pub mod simulate;
pub mod stats;
pub mod store;
pub mod trace;
pub mod verdict;
