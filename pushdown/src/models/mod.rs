//! The programs of the paper's experiments, written as boolean programs.

pub mod bluetooth;
pub mod tree;
pub mod vector;
