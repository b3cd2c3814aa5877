//! Reachability of pushdown networks: threads with recursive procedures that share memory.
//!
//! Reachability for such programs is undecidable; within a bound on the number of contexts (maximal parts of a run in which
//! one thread moves) it is decidable (Qadeer and Rehof, TACAS 2005). This crate knows nothing of Promela.
//!
//! - [`explicit`]: networks with their states written out: the definition of the semantics, enumeration by brute force,
//!   `post*` by saturation, the algorithm of Qadeer and Rehof, and tests of convergence after Liu and Wahl (PLDI 2018).
//! - [`symbolic`]: the same with BDDs over bits of globals and locals, with eager and lazy splitting (Suwimonteerabuth,
//!   Esparza and Schwoon, the engine of jMoped), and with procedure summaries that all contexts share.

pub mod boolean;
pub mod explicit;
pub mod models;
pub mod symbolic;
pub mod text;
