//! Formulas and labels over *partial* atoms: atoms that have no value in some letters, such as a division whose divisor
//! may be zero.
//!
//! For each partial atom p the letter has a second atom d that says whether p is defined; where d is false, so is p. A
//! formula then has three values, as expressions have in a language with short-circuit evaluation: it is evaluated from
//! left to right (McCarthy 1963), and it is undefined where that evaluation meets an undefined atom:
//!
//! | formula | evaluated as |
//! | --- | --- |
//! | `f && g`, `f \|\| g`, `f -> g` | f first; g only if f does not decide |
//! | `f <-> g`, `f xor g` | f, then g |
//! | `X f` | f in the next position |
//! | `[] f` | f here; if it holds, `[] f` in the next position |
//! | `<> f` | f here; if it does not hold, `<> f` in the next position |
//! | `f U g`, `f W g` | g here; if it does not hold, f here; if that holds, the formula in the next position |
//! | `f R g`, `f M g` | g here; if it holds, f here; if that does not hold, the formula in the next position |
//!
//! [`undefined`] writes the set of words on which a formula is undefined as a formula of the usual logic over both kinds
//! of atoms, so that translation, stutter invariance and search need not know of a third value. It has no next operator
//! if the formula has none. The definition itself is in [`crate::word::evaluate`], which shares nothing with it.
//!
//! Conjunctions and disjunctions of [`Formulas`] are sorted and have no left and right. What is to be evaluated in order
//! is built by [`Formulas::and_then`] and [`Formulas::or_else`].

use crate::bdd::Bdds;
use crate::formula::{Atom, Formula, Formulas, Node};
use crate::label::Label;
use rustc_hash::FxHashMap;

/// Says which atom tells whether an atom is defined; `None` for an atom that always is.
pub type Definedness<'a> = &'a dyn Fn(Atom) -> Option<Atom>;

/// Holds on the words on which evaluating `f` meets an undefined atom.
pub fn undefined(formulas: &mut Formulas, f: Formula, defined: Definedness<'_>) -> Formula {
    let never = formulas.false_();
    let mut done: FxHashMap<Formula, Formula> = FxHashMap::default();
    for g in formulas.subformulas(f) {
        let node = formulas.node(g).clone();
        let total = node.operands().iter().all(|h| done[h] == never);
        let result = match node {
            Node::Atom(atom) => match defined(atom) {
                Some(defined) => {
                    let defined = formulas.atom(defined);
                    formulas.not(defined)
                }
                None => never,
            },
            _ if total => never,
            node => of_node(formulas, &node, |h| done[h]),
        };
        done.insert(g, result);
    }
    done[&f]
}

/// When a formula with operands is undefined; `of` says it of the operands.
fn of_node(formulas: &mut Formulas, node: &Node, of: impl Fn(&Formula) -> Formula) -> Formula {
    match node {
        Node::True | Node::False | Node::Atom(_) => formulas.false_(),
        Node::Not(f) => of(f),
        Node::And(fs) => in_order(formulas, fs, of, |_, f| f),
        Node::Or(fs) => in_order(formulas, fs, of, Formulas::not),
        Node::Implies(f, g) => in_order(formulas, &[*f, *g], of, |_, f| f),
        Node::Equiv(f, g) | Node::Xor(f, g) => formulas.or(of(f), of(g)),
        Node::Next(f) => formulas.next(of(f)),
        // Evaluation goes on from position to position until an operand decides or is undefined.
        Node::Always(f) => formulas.until(*f, of(f)),
        Node::Eventually(f) => {
            let fails = formulas.not(*f);
            formulas.until(fails, of(f))
        }
        Node::Until(f, g) | Node::WeakUntil(f, g) => {
            let fails = formulas.not(*g);
            let goes_on = formulas.and(fails, *f);
            let here = in_order(formulas, &[*g, *f], of, Formulas::not);
            formulas.until(goes_on, here)
        }
        Node::Release(f, g) | Node::StrongRelease(f, g) => {
            let fails = formulas.not(*f);
            let goes_on = formulas.and(*g, fails);
            let here = in_order(formulas, &[*g, *f], of, |_, f| f);
            formulas.until(goes_on, here)
        }
    }
}

/// When evaluating operands in order is undefined; the next one is evaluated only if `goes_on` holds of the one before.
fn in_order(
    formulas: &mut Formulas,
    operands: &[Formula],
    of: impl Fn(&Formula) -> Formula,
    goes_on: impl Fn(&mut Formulas, Formula) -> Formula,
) -> Formula {
    let mut rest = formulas.false_();
    for f in operands.iter().rev() {
        let undecided = goes_on(formulas, *f);
        let later = formulas.and(undecided, rest);
        rest = formulas.or(of(f), later);
    }
    rest
}

/// The letters in which `label` has no value because it depends on undefined atoms. A label is a function, written by
/// whatever tool made the automaton; it has no left and right. `None` if that is too much work to find out.
pub fn undefined_label(label: &Label, defined: Definedness<'_>) -> Option<Label> {
    let mut bdds = Bdds::new();
    let value = bdds.label(label);
    let (mut some, mut all) = (value, value);
    for atom in (0..64)
        .map(Atom)
        .filter(|a| label.support() >> a.0 & 1 == 1)
    {
        if let Some(defined) = defined(atom) {
            let defined = bdds.var(defined.0);
            let (high, low) = (
                bdds.with(some, atom.0, true),
                bdds.with(some, atom.0, false),
            );
            let either = bdds.or(high, low);
            some = bdds.ite(defined, some, either);
            let (high, low) = (bdds.with(all, atom.0, true), bdds.with(all, atom.0, false));
            let both = bdds.and(high, low);
            all = bdds.ite(defined, all, both);
        }
    }
    let depends = bdds.minus(some, all);
    let cubes = bdds.cubes(depends);
    (!bdds.is_exhausted()).then_some(cubes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, Shape};
    use crate::word::{self, Lasso, Value};
    use crate::{Atoms, parse};

    /// Atoms 0 and 1 are partial; 2 and 3 say whether they are defined.
    fn defined(atom: Atom) -> Option<Atom> {
        (atom.0 < 2).then(|| Atom(atom.0 + 2))
    }

    /// Where an atom is not defined it is false.
    fn letter(rng: &mut Rng) -> u64 {
        let letter = rng.next_u64() & 0b1111;
        letter & (0b1100 | letter >> 2)
    }

    #[test]
    fn the_formula_of_undefined_words_agrees_with_the_definition() {
        let mut rng = Rng::seeded(7);
        let mut counts = [0; 3];
        let shape = Shape {
            atoms: 2,
            size: 8,
            next: true,
        };
        for _ in 0..4_000 {
            let mut formulas = Formulas::new();
            let f = shape.formula(&mut formulas, &mut rng);
            let not_defined = undefined(&mut formulas, f, &defined);
            assert!(!formulas.is_next_free(f) || formulas.is_next_free(not_defined));
            for _ in 0..4 {
                let prefix = (0..rng.below32(4)).map(|_| letter(&mut rng)).collect();
                let cycle = (0..=rng.below32(3)).map(|_| letter(&mut rng)).collect();
                let lasso = Lasso::new(prefix, cycle).unwrap();
                let value = word::evaluate(&formulas, f, &lasso, &defined);
                let is_undefined = matches!(value, Value::Undefined { .. });
                assert_eq!(word::holds(&formulas, not_defined, &lasso), is_undefined);
                if !is_undefined {
                    let holds = word::holds(&formulas, f, &lasso);
                    assert_eq!(value, if holds { Value::True } else { Value::False });
                }
                counts[match value {
                    Value::True => 0,
                    Value::False => 1,
                    Value::Undefined { .. } => 2,
                }] += 1;
            }
        }
        assert!(counts.iter().all(|n| *n > 1_000), "{counts:?}");
    }

    #[test]
    fn evaluation_is_from_left_to_right() {
        // p and q are undefined in every letter; r is true, s is false.
        for (text, undefined_in_first) in [
            ("r || p", false),
            ("p || r", true),
            ("s && p", false),
            ("p && s", true),
            ("s -> p", false),
            ("r -> p", true),
            ("p -> r", true),
            ("r <-> p", true),
            ("p <-> r", true),
            ("p U r", false),
            ("r U p", true),
            ("p R s", false),
            ("r R p", true),
            ("s R r", false),
            ("[] (s -> p)", false),
            ("<> (s && p)", false),
            ("<> r || p", false),
            ("[] s || p", true),
            ("X p", true),
            ("(s && p) || (r || q)", false),
        ] {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            for name in ["p", "q", "r", "s"] {
                atoms.intern(name);
            }
            // Operands are sorted by when they were made: no name here occurs twice, so as they were read.
            let f = parse::formula(&mut formulas, &mut atoms, text).unwrap();
            let defined = |atom: Atom| (atom.0 < 2).then(|| Atom(atom.0 + 4));
            let lasso = Lasso::new(vec![], vec![0b100]).unwrap();
            let value = word::evaluate(&formulas, f, &lasso, &defined);
            let expected = matches!(
                value,
                Value::Undefined {
                    position: 0 | 1,
                    ..
                }
            );
            assert_eq!(expected, undefined_in_first, "{text}: {value:?}");
            let words = undefined(&mut formulas, f, &defined);
            assert_eq!(
                word::holds(&formulas, words, &lasso),
                undefined_in_first,
                "{text}"
            );
        }
    }

    #[test]
    fn a_label_is_undefined_only_where_its_value_depends_on_it() {
        use crate::label::Cube;
        // p && g, then !g || p: with g (atom 1) false, p (atom 0, defined by atom 2) does not matter.
        let defined = |atom: Atom| (atom.0 == 0).then_some(Atom(2));
        let and = Label::from_cubes(vec![Cube::new(0b11, 0)]);
        let or = Label::from_cubes(vec![Cube::new(0, 0b10), Cube::new(0b01, 0)]);
        for label in [and, or] {
            let undefined = undefined_label(&label, &defined).unwrap();
            assert!(undefined.eval(0b010));
            assert!(!undefined.eval(0b000));
            assert!(!undefined.eval(0b110));
        }
        let total = Label::from_cubes(vec![Cube::new(0b10, 0)]);
        let undefined = undefined_label(&total, &defined).unwrap();
        assert!(undefined.cubes().is_empty());
    }
}
