//! Formula sets that translators are commonly measured on.
//!
//! The sets are published facts, written in Spot's spelling with one naming of atoms throughout.
//! The sizes of their automata are tabulated by `cargo run --release -p ltl --example sizes`.

use crate::formula::{Atoms, Formula, Formulas};
use crate::parse::{self, Dialect};

/// A named set of formulas.
#[derive(Copy, Clone, Debug)]
pub struct Set {
    /// A short name.
    pub name: &'static str,
    /// Where the set was published.
    pub source: &'static str,
    /// The formulas.
    pub formulas: &'static [&'static str],
}

/// The sets.
pub const SETS: &[Set] = &[
    Set {
        name: "dac",
        source: "Dwyer, Avrunin, Corbett: Property specification patterns (FMSP 1998)",
        formulas: DAC,
    },
    Set {
        name: "eh",
        source: "Etessami, Holzmann: Optimizing Büchi automata (CONCUR 2000)",
        formulas: EH,
    },
    Set {
        name: "sb",
        source: "Somenzi, Bloem: Efficient Büchi automata from LTL formulae (CAV 2000)",
        formulas: SB,
    },
];

/// Reads one of the formulas of a set.
pub fn read(formulas: &mut Formulas, atoms: &mut Atoms, text: &str) -> Formula {
    let f = parse::formula_in(Dialect::Spot, formulas, atoms, text);
    f.expect("the sets are well-formed")
}

const DAC: &[&str] = &[
    // Absence: globally, before r, after q, between q and r, after q until r; and so on below.
    "G !p",
    "F r -> (!p U r)",
    "G (q -> G !p)",
    "G ((q & !r & F r) -> (!p U r))",
    "G (q & !r -> (!p W r))",
    // Existence.
    "F p",
    "!r W (p & !r)",
    "G !q | F (q & F p)",
    "G (q & !r -> (!r W (p & !r)))",
    "G (q & !r -> (!r U (p & !r)))",
    // Bounded existence, at most twice.
    "!p W (p W (!p W (p W G !p)))",
    "F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))",
    "F q -> (!q U (q & (!p W (p W (!p W (p W G !p))))))",
    "G ((q & F r) -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))",
    "G (q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p W r) | G p)))))))))",
    // Universality.
    "G p",
    "F r -> (p U r)",
    "G (q -> G p)",
    "G ((q & !r & F r) -> (p U r))",
    "G (q & !r -> (p W r))",
    // Precedence.
    "!p W s",
    "F r -> (!p U (s | r))",
    "G !q | F (q & (!p W s))",
    "G ((q & !r & F r) -> (!p U (s | r)))",
    "G (q & !r -> (!p W (s | r)))",
    // Response.
    "G (p -> F s)",
    "F r -> ((p -> (!r U (s & !r))) U r)",
    "G (q -> G (p -> F s))",
    "G ((q & !r & F r) -> ((p -> (!r U (s & !r))) U r))",
    "G (q & !r -> ((p -> (!r U (s & !r))) W r))",
    // Precedence of a chain of two.
    "F p -> (!p U (s & !p & X (!p U t)))",
    "F r -> (!p U (r | (s & !p & X (!p U t))))",
    "G !q | (!q U ((q & F p) -> (!p U (s & !p & X (!p U t)))))",
    "G ((q & F r) -> (!p U (r | (s & !p & X (!p U t)))))",
    "G (q -> (F p -> (!p U (r | (s & !p & X (!p U t))))))",
    // Precedence for a chain of two.
    "F (s & X F t) -> (!s U p)",
    "F r -> (!(s & !r & X (!r U (t & !r))) U (r | p))",
    "G !q | (!q U (q & (F (s & X F t) -> (!s U p))))",
    "G ((q & F r) -> (!(s & !r & X (!r U (t & !r))) U (r | p)))",
    "G (q -> ((!(s & !r & X (!r U (t & !r))) U (r | p)) | G !(s & X F t)))",
    // Response to a chain of two.
    "G ((s & X F t) -> X F (t & F p))",
    "F r -> (((s & X (!r U t)) -> X (!r U (t & F p))) U r)",
    "G (q -> G ((s & X F t) -> X (!t U (t & F p))))",
    "G ((q & F r) -> (((s & X (!r U t)) -> X (!r U (t & F p))) U r))",
    "G (q -> (((s & X (!r U t)) -> X (!r U (t & F p))) U (r | G ((s & X (!r U t)) -> X (!r U (t & F p))))))",
    // Response by a chain of two.
    "G (p -> F (s & X F t))",
    "F r -> ((p -> (!r U (s & !r & X (!r U t)))) U r)",
    "G (q -> G (p -> (s & X F t)))",
    "G ((q & F r) -> ((p -> (!r U (s & !r & X (!r U t)))) U r))",
    "G (q -> ((p -> (!r U (s & !r & X (!r U t)))) U (r | G (p -> (s & X F t)))))",
    // Response by a constrained chain of two.
    "G (p -> F (s & !z & X (!z U t)))",
    "F r -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U r)",
    "G (q -> G (p -> (s & !z & X (!z U t))))",
    "G ((q & F r) -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U r))",
    "G (q -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U (r | G (p -> (s & !z & X (!z U t))))))",
];

const EH: &[&str] = &[
    "p U (q & G r)",
    "p U (q & X (r U s))",
    "p U (q & X (r & F (s & X F (t & X F (u & X F v)))))",
    "F (p & X G q)",
    "F (p & X (q & X F r))",
    "F (p & X (q U r))",
    "F G p | G F q",
    "G (p -> (q U r))",
    "G (p & X F (q & X F (r & X F s)))",
    "G F p & G F q & G F r & G F s & G F t",
    "(p U (q U r)) | (q U (r U p)) | (r U (p U q))",
    "G (p -> (q U (G r | G s)))",
];

const SB: &[&str] = &[
    "p U q",
    "p U (q U r)",
    "!(p U (q U r))",
    "G F p -> G F q",
    "F p U G q",
    "G p U q",
    "!(F F p <-> F p)",
    "!(G F p -> G F q)",
    "!(G F p <-> G F q)",
    "p R (p | q)",
    "(X p U X q) | !X (p U q)",
    "(X p U q) | !X (p U (p & q))",
    "G (p -> F q) & ((X p U q) | !X (p U (p & q)))",
    "G (p -> F q) & ((X p U X q) | !X (p U q))",
    "G (p -> F q)",
    "!G (p -> X (q R r))",
    "!(F G p | F G q)",
    "G (F p & F q)",
    "F p & F !p",
    "(X q & r) R X (((s U p) R r) U (s R r))",
    "(G (q | G F p) & G (r | G F !p)) | G q | G r",
    "(G (q | F G p) & G (r | F G !p)) | G q | G r",
    "!((G (q | G F p) & G (r | G F !p)) | G q | G r)",
    "!((G (q | F G p) & G (r | F G !p)) | G q | G r)",
    "G (q | X G p) & G (r | X G !p)",
    "G (q | (X p & X !p))",
    "(p U p) | (q U p)",
];
