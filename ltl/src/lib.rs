//! Linear temporal logic and Büchi automata.
//!
//! ```text
//! text ──parse──▶ Formula ──nnf, rewrite──▶ Formula ──tableau──▶ generalised automaton
//!      ──simulation──▶ ──degeneralize──▶ ──simulation──▶ Buchi ──▶ never claim, HOA, DOT
//!                                └──wdba──▶ (smaller, for obligations)
//! ```
//!
//! | to | use |
//! | --- | --- |
//! | make formulas | [`Formulas`] (constructors), [`parse`] (SPIN's and Spot's spellings), [`random`] |
//! | translate | [`translate::buchi`]; sizes are bounded, see [`translate::Error`] |
//! | ask about a property | [`classify`] (safety, guarantee, …), [`stutter`], [`mod@parts`] |
//! | use an automaton | [`Buchi`], whose [`Label`]s are evaluated on letters (`u64`, bit i is atom i) |
//! | write and read automata | [`mod@never`], [`hoa`], [`dot`] |
//! | tell when a finite word is without hope | [`prefix`] |
//! | admit atoms without a value in some letters | [`partial`] |
//! | check any of this | [`word`]: the semantics of formulas and automata on single words |
//!
//! This crate knows nothing of Promela, of states of a program, or of searching; an [`Atom`] is a
//! number, and its name is kept in a side table, [`Atoms`]. Nothing here prints, reads the clock or
//! panics on what a user wrote.
//!
//! ```
//! use ltl::{Atoms, Formulas, parse, translate};
//!
//! let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
//! let f = parse::formula(&mut formulas, &mut atoms, "[](p -> <>q)")?;
//! let not_f = formulas.not(f);
//! let claim = translate::buchi(&mut formulas, not_f)?;
//! assert_eq!((claim.len(), claim.edge_count()), (2, 3));
//! let (p, q) = (1 << atoms.intern("p").0, 1 << atoms.intern("q").0);
//! let start = claim.initial()[0];
//! assert_eq!(claim.successors(start, p).count(), 2);
//! assert_eq!(claim.successors(start, p | q).count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The long runs: `cargo run --release -p ltl --example fuzz` compares the translator with the
//! reference semantics on 10,000 random formulas; `--example sizes` tabulates automata of the known
//! formula sets beside SPIN's.

pub mod along;
mod bdd;
pub mod buchi;
pub mod classify;
mod complement;
mod degeneralize;
mod delayed;
pub mod dot;
pub mod formula;
pub mod hoa;
pub mod label;
pub mod never;
pub mod nnf;
pub mod parse;
pub mod partial;
mod partition;
pub mod parts;
pub mod patterns;
pub mod prefix;
mod print;
mod product;
pub mod random;
pub mod rewrite;
mod scc;
mod simulation;
pub mod stutter;
mod tableau;
mod tgba;
pub mod translate;
mod watch;
mod wdba;
pub mod word;

pub use buchi::{Buchi, StateId};
pub use formula::{Atom, Atoms, Formula, Formulas};
pub use label::{Cube, Label};
