//! Negation normal form.
//!
//! Negations are pushed down to the atoms through the dualities of the temporal operators, `->`,
//! `<->` and `xor` are expanded, and nested conjunctions and disjunctions are flattened. The
//! result uses `true false p !p && || X [] <> U W R M` only; the other modules of the translator
//! accept nothing else. Both polarities of every subformula are computed in one sweep over the
//! arena's topological order, so depth costs no stack.

use crate::formula::{Formula, Formulas, Node};
use rustc_hash::FxHashMap;

/// The negation normal form of `f`.
pub fn nnf(formulas: &mut Formulas, f: Formula) -> Formula {
    Sweep::run(formulas, f).0
}

/// The negation normal form of `!f`.
pub fn nnf_not(formulas: &mut Formulas, f: Formula) -> Formula {
    Sweep::run(formulas, f).1
}

struct Sweep<'a> {
    formulas: &'a mut Formulas,
    /// The normal forms of a subformula and of its negation.
    done: FxHashMap<Formula, (Formula, Formula)>,
}

impl Sweep<'_> {
    fn run(formulas: &mut Formulas, f: Formula) -> (Formula, Formula) {
        let order = formulas.subformulas(f);
        let done = FxHashMap::default();
        let mut sweep = Sweep { formulas, done };
        for g in order {
            let forms = sweep.forms(g);
            sweep.done.insert(g, forms);
        }
        sweep.done[&f]
    }

    fn forms(&mut self, f: Formula) -> (Formula, Formula) {
        let node = self.formulas.node(f).clone();
        let of = |g: &Formula| self.done[g];
        match node {
            Node::True => (f, self.formulas.false_()),
            Node::False => (f, self.formulas.true_()),
            Node::Atom(_) => (f, self.formulas.not(f)),
            Node::Not(g) => {
                let (yes, no) = of(&g);
                (no, yes)
            }
            Node::And(gs) => {
                let (yes, no) = gs.iter().map(of).unzip();
                (self.and(yes), self.or(no))
            }
            Node::Or(gs) => {
                let (yes, no) = gs.iter().map(of).unzip();
                (self.or(yes), self.and(no))
            }
            Node::Implies(g, h) => {
                let ((g, not_g), (h, not_h)) = (of(&g), of(&h));
                (self.or(vec![not_g, h]), self.and(vec![g, not_h]))
            }
            Node::Equiv(g, h) => self.equivalence(of(&g), of(&h)),
            Node::Xor(g, h) => {
                let (same, differ) = self.equivalence(of(&g), of(&h));
                (differ, same)
            }
            Node::Next(g) => self.unary(of(&g), Formulas::next, Formulas::next),
            Node::Always(g) => self.unary(of(&g), Formulas::always, Formulas::eventually),
            Node::Eventually(g) => self.unary(of(&g), Formulas::eventually, Formulas::always),
            Node::Until(g, h) => self.binary(of(&g), of(&h), Formulas::until, Formulas::release),
            Node::Release(g, h) => self.binary(of(&g), of(&h), Formulas::release, Formulas::until),
            Node::WeakUntil(g, h) => self.binary(
                of(&g),
                of(&h),
                Formulas::weak_until,
                Formulas::strong_release,
            ),
            Node::StrongRelease(g, h) => self.binary(
                of(&g),
                of(&h),
                Formulas::strong_release,
                Formulas::weak_until,
            ),
        }
    }

    fn unary(
        &mut self,
        (yes, no): (Formula, Formula),
        op: impl Fn(&mut Formulas, Formula) -> Formula,
        dual: impl Fn(&mut Formulas, Formula) -> Formula,
    ) -> (Formula, Formula) {
        (op(self.formulas, yes), dual(self.formulas, no))
    }

    fn binary(
        &mut self,
        (g, not_g): (Formula, Formula),
        (h, not_h): (Formula, Formula),
        op: impl Fn(&mut Formulas, Formula, Formula) -> Formula,
        dual: impl Fn(&mut Formulas, Formula, Formula) -> Formula,
    ) -> (Formula, Formula) {
        (op(self.formulas, g, h), dual(self.formulas, not_g, not_h))
    }

    fn equivalence(
        &mut self,
        (g, not_g): (Formula, Formula),
        (h, not_h): (Formula, Formula),
    ) -> (Formula, Formula) {
        let both = self.and(vec![g, h]);
        let neither = self.and(vec![not_g, not_h]);
        let left = self.and(vec![g, not_h]);
        let right = self.and(vec![not_g, h]);
        (self.or(vec![both, neither]), self.or(vec![left, right]))
    }

    fn and(&mut self, gs: Vec<Formula>) -> Formula {
        flat_and(self.formulas, gs)
    }

    fn or(&mut self, gs: Vec<Formula>) -> Formula {
        flat_or(self.formulas, gs)
    }
}

/// Conjunction with operands that are conjunctions spliced in.
pub(crate) fn flat_and(formulas: &mut Formulas, gs: Vec<Formula>) -> Formula {
    let splice = |g: Formula| match formulas.node(g) {
        Node::And(hs) => hs.to_vec(),
        _ => vec![g],
    };
    let flat = gs.into_iter().flat_map(splice).collect();
    formulas.and_all(flat)
}

/// Disjunction with operands that are disjunctions spliced in.
pub(crate) fn flat_or(formulas: &mut Formulas, gs: Vec<Formula>) -> Formula {
    let splice = |g: Formula| match formulas.node(g) {
        Node::Or(hs) => hs.to_vec(),
        _ => vec![g],
    };
    let flat = gs.into_iter().flat_map(splice).collect();
    formulas.or_all(flat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, Shape};
    use crate::word;

    #[test]
    fn both_polarities_mean_what_they_should() {
        let mut rng = Rng::seeded(11);
        for _ in 0..2_000 {
            let mut formulas = Formulas::new();
            let f = Shape::default().formula(&mut formulas, &mut rng);
            let (yes, no) = (nnf(&mut formulas, f), nnf_not(&mut formulas, f));
            let lasso = word::Lasso::random(&mut rng, 3, 3, 3);
            let expected = word::holds(&formulas, f, &lasso);
            assert_eq!(word::holds(&formulas, yes, &lasso), expected);
            assert_eq!(word::holds(&formulas, no, &lasso), !expected);
            for g in formulas.subformulas(yes) {
                match formulas.node(g) {
                    Node::Not(h) => assert!(matches!(formulas.node(*h), Node::Atom(_))),
                    Node::Implies(..) | Node::Equiv(..) | Node::Xor(..) => panic!("not expanded"),
                    _ => {}
                }
            }
        }
    }
}
