//! The model checker.
