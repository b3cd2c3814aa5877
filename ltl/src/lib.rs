//! Linear temporal logic and Büchi automata.

mod bdd;
pub mod buchi;
pub mod classify;
mod degeneralize;
pub mod dot;
pub mod formula;
pub mod label;
pub mod never;
pub mod nnf;
pub mod parse;
pub mod patterns;
mod print;
mod product;
pub mod random;
pub mod rewrite;
mod scc;
mod simulation;
mod tableau;
mod tgba;
pub mod translate;
mod wdba;
pub mod word;

pub use buchi::{Buchi, StateId};
pub use formula::{Atom, Atoms, Formula, Formulas};
pub use label::{Cube, Label};
