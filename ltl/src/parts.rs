//! Writing a property as a Boolean combination of smaller ones.
//!
//! Whoever may swap steps that different parts of a property look at, but not steps that one part looks at, needs to know the
//! parts. They are found by a recursive procedure that applies one rule at a time (Peled, *Combining partial order
//! reductions with on-the-fly model-checking*, Section 3.1) and writes down nothing but the atoms of what cannot be split
//! any further:
//!
//! ```text
//! [](f && g) = []f && []g                    <>(f || g) = <>f || <>g
//! <>[](f && g) = <>[]f && <>[]g              []<>(f || g) = []<>f || []<>g
//! (f && g) U h = f U h && g U h              f U (g || h) = f U g || f U h
//! ```
//!
//! and the same for `W`, and, by duality, for `R` and `M`. Formulas with a next operator are not split: the parts would
//! tell repeated letters apart even where the whole does not.

use crate::formula::{Atom, Formula, Formulas, Node};
use crate::nnf::nnf;

/// After so many parts the rest is not split any more: rules that copy a subformula may blow it up.
const MOST: usize = 1 << 10;

/// The connective that joins parts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Join {
    And,
    Or,
}

/// The atoms of each part of `f`, such that `f` is a Boolean combination of formulas over these sets of atoms. No set is
/// contained in another one.
pub fn parts(formulas: &mut Formulas, f: Formula) -> Vec<Vec<Atom>> {
    if !formulas.is_next_free(f) {
        return vec![formulas.atoms(f)];
    }
    let mut work = vec![nnf(formulas, f)];
    let mut found: Vec<Vec<Atom>> = Vec::new();
    let mut budget = MOST;
    while let Some(part) = work.pop() {
        let split = match budget {
            0 => None,
            _ => split(formulas, part),
        };
        budget = budget.saturating_sub(1);
        match split {
            Some((_, smaller)) => work.extend(smaller),
            None => add(&mut found, formulas.atoms(part)),
        }
    }
    found.sort();
    found
}

/// Adds a set unless a larger one is there; takes out smaller ones.
fn add(found: &mut Vec<Vec<Atom>>, atoms: Vec<Atom>) {
    let within = |a: &[Atom], b: &[Atom]| a.iter().all(|atom| b.contains(atom));
    if !atoms.is_empty() && !found.iter().any(|other| within(&atoms, other)) {
        found.retain(|other| !within(other, &atoms));
        found.push(atoms);
    }
}

/// What a formula in negation normal form is a conjunction or disjunction of, by one rule; `None` when none applies.
fn split(formulas: &mut Formulas, f: Formula) -> Option<(Join, Vec<Formula>)> {
    use Join::{And, Or};
    let conjuncts = |f: Formula| match formulas.node(f) {
        Node::And(gs) => Some(gs.to_vec()),
        _ => None,
    };
    let disjuncts = |f: Formula| match formulas.node(f) {
        Node::Or(gs) => Some(gs.to_vec()),
        _ => None,
    };
    type Wrap = Box<dyn Fn(&mut Formulas, Formula) -> Formula>;
    let (join, parts, wrap): (Join, Vec<Formula>, Wrap) = match *formulas.node(f) {
        Node::And(ref gs) => return Some((And, gs.to_vec())),
        Node::Or(ref gs) => return Some((Or, gs.to_vec())),
        Node::Always(g) => match *formulas.node(g) {
            Node::And(ref gs) => (And, gs.to_vec(), Box::new(Formulas::always)),
            Node::Always(_) => return Some((And, vec![g])),
            Node::Eventually(h) => {
                let again = |formulas: &mut Formulas, h| {
                    let h = formulas.eventually(h);
                    formulas.always(h)
                };
                (Or, disjuncts(h)?, Box::new(again))
            }
            _ => return None,
        },
        Node::Eventually(g) => match *formulas.node(g) {
            Node::Or(ref gs) => (Or, gs.to_vec(), Box::new(Formulas::eventually)),
            Node::Eventually(_) => return Some((Or, vec![g])),
            Node::Always(h) => {
                let in_the_end = |formulas: &mut Formulas, h| {
                    let h = formulas.always(h);
                    formulas.eventually(h)
                };
                (And, conjuncts(h)?, Box::new(in_the_end))
            }
            _ => return None,
        },
        Node::Until(g, h) => match (conjuncts(g), disjuncts(h)) {
            (Some(gs), _) => (And, gs, Box::new(move |fs, g| fs.until(g, h))),
            (None, hs) => (Or, hs?, Box::new(move |fs, h| fs.until(g, h))),
        },
        Node::WeakUntil(g, h) => match (conjuncts(g), disjuncts(h)) {
            (Some(gs), _) => (And, gs, Box::new(move |fs, g| fs.weak_until(g, h))),
            (None, hs) => (Or, hs?, Box::new(move |fs, h| fs.weak_until(g, h))),
        },
        Node::Release(g, h) => match (disjuncts(g), conjuncts(h)) {
            (Some(gs), _) => (Or, gs, Box::new(move |fs, g| fs.release(g, h))),
            (None, hs) => (And, hs?, Box::new(move |fs, h| fs.release(g, h))),
        },
        Node::StrongRelease(g, h) => match (disjuncts(g), conjuncts(h)) {
            (Some(gs), _) => (Or, gs, Box::new(move |fs, g| fs.strong_release(g, h))),
            (None, hs) => (And, hs?, Box::new(move |fs, h| fs.strong_release(g, h))),
        },
        _ => return None,
    };
    let parts = parts.into_iter().map(|part| wrap(formulas, part));
    Some((join, parts.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atoms;
    use crate::random::{Rng, Shape};
    use crate::{parse, word};

    /// Splits again and again, and judges each step by the reference semantics.
    fn check(formulas: &mut Formulas, f: Formula, rng: &mut Rng) -> usize {
        let mut steps = 0;
        let mut work = vec![nnf(formulas, f)];
        while let Some(part) = work.pop() {
            let Some((join, smaller)) = split(formulas, part) else {
                continue;
            };
            let whole = match join {
                Join::And => formulas.and_all(smaller.clone()),
                Join::Or => formulas.or_all(smaller.clone()),
            };
            for _ in 0..40 {
                let lasso = word::Lasso::random(rng, 5, 4, 4);
                let same =
                    word::holds(formulas, part, &lasso) == word::holds(formulas, whole, &lasso);
                assert!(same, "{:?} on {lasso:?}", formulas.node(part));
            }
            steps += 1;
            if steps < 50 {
                work.extend(smaller);
            }
        }
        steps
    }

    /// A formula, and the atoms of its parts.
    const CASES: &[(&str, &[&str])] = &[
        ("[](a && b)", &["a", "b"]),
        ("<>(a || b)", &["a", "b"]),
        ("<>[](a && b)", &["a", "b"]),
        ("[]<>(a || b)", &["a", "b"]),
        ("(a && b) U c", &["ac", "bc"]),
        ("a U (b || c)", &["ab", "ac"]),
        ("(a && b) W c", &["ac", "bc"]),
        ("a W (b || c)", &["ab", "ac"]),
        ("a R (b && c)", &["ab", "ac"]),
        ("(a || b) R c", &["ac", "bc"]),
        ("a M (b && c)", &["ab", "ac"]),
        ("(a || b) M c", &["ac", "bc"]),
        ("[][](a && b)", &["a", "b"]),
        ("<><>(a || b)", &["a", "b"]),
        ("![](a && b)", &["a", "b"]),
        ("!([]a -> <>b)", &["a", "b"]),
        ("[]a <-> <>b", &["a", "b"]),
        ("[](a || b)", &["ab"]),
        ("<>(a && b)", &["ab"]),
        ("[](a -> <>b)", &["ab"]),
        ("[](a && <>b)", &["a", "b"]),
        ("[]<>(a && b)", &["ab"]),
        ("[](a && b) && <>(a && c)", &["ac", "b"]),
        ("[](a && X b)", &["ab"]),
        ("(a && b) U (c || d)", &["ac", "ad", "bc", "bd"]),
        ("true", &[]),
    ];

    #[test]
    fn every_rule_keeps_the_meaning_and_splits_what_it_should() {
        let mut rng = Rng::seeded(5);
        for (text, expected) in CASES {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            "abcde".chars().for_each(|name| {
                atoms.intern(&name.to_string());
            });
            let f = parse::formula(&mut formulas, &mut atoms, text).expect("a formula");
            let names = |set: &Vec<Atom>| set.iter().map(|a| atoms.name(*a)).collect::<String>();
            let found: Vec<String> = parts(&mut formulas, f).iter().map(names).collect();
            assert_eq!(found, *expected, "{text}");
            check(&mut formulas, f, &mut rng);
        }
    }

    #[test]
    fn splitting_random_formulas_keeps_their_meaning() {
        let mut rng = Rng::seeded(6);
        let shape = Shape {
            atoms: 5,
            size: 16,
            next: false,
        };
        let mut steps = 0;
        for _ in 0..2_000 {
            let mut formulas = Formulas::new();
            let f = shape.formula(&mut formulas, &mut rng);
            steps += check(&mut formulas, f, &mut rng);
            let all = formulas.atoms(f);
            let parts = parts(&mut formulas, f);
            let covers = |atom: &Atom| parts.iter().any(|part| part.contains(atom));
            assert!(all.iter().all(covers));
        }
        assert!(steps > 2_000, "{steps}");
    }

    #[test]
    fn a_formula_that_blows_up_is_split_no_further() {
        let (mut formulas, mut f) = (Formulas::new(), None);
        for level in 0..24 {
            let (a, b) = (formulas.atom(Atom(level % 8)), formulas.atom(Atom(8)));
            let inner = f.unwrap_or(b);
            let either = formulas.or(a, inner);
            f = Some(formulas.until(inner, either));
        }
        let f = f.expect("a formula");
        assert!(!parts(&mut formulas, f).is_empty());
    }
}
