//! The programs of the paper's experiments, written as boolean programs, and its tables.

pub mod bluetooth;
pub mod tables;
pub mod tree;
pub mod vector;
