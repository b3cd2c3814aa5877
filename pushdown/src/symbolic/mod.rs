//! Pushdown networks whose rules and sets are binary decision diagrams (BDDs) over bits of globals and locals.
//!
//! A stack symbol is a label with a valuation of the local bits; a shared state is a valuation of the global bits. One
//! symbolic rule stands for all rules between its labels that its relation admits (jMoped, section 4.1).

pub mod contexts;
pub mod creation;
pub mod encode;
pub mod enumerate;
pub mod network;
pub(crate) mod partition;
pub(crate) mod saturation;
pub mod space;
pub mod view;
pub(crate) mod witness;
