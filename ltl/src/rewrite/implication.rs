//! Implication that can be seen from the syntax.
//!
//! `implies(f, g)` says yes only if every word that satisfies f satisfies g; a no means nothing. It
//! compares the two formulas by the monotonicity of the operators and by their unfoldings
//! (Somenzi and Bloem 2000). Both formulas must be in negation normal form.

use super::classes::Classes;
use crate::formula::{Formula, Formulas, Node};
use rustc_hash::FxHashMap;

/// Memoised syntactic implication.
#[derive(Default)]
pub(crate) struct Implications {
    pub(crate) classes: Classes,
    memo: FxHashMap<(Formula, Formula), bool>,
}

impl Implications {
    pub(crate) fn implies(&mut self, formulas: &Formulas, f: Formula, g: Formula) -> bool {
        if f == g {
            return true;
        }
        if let Some(&known) = self.memo.get(&(f, g)) {
            return known;
        }
        let found = self.decide(formulas, f, g);
        self.memo.insert((f, g), found);
        found
    }

    fn decide(&mut self, formulas: &Formulas, f: Formula, g: Formula) -> bool {
        let mut yes = |a: &Formula, b: &Formula| self.implies(formulas, *a, *b);
        match (formulas.node(f), formulas.node(g)) {
            (Node::False, _) | (_, Node::True) => return true,
            (Node::Or(fs), _) => return fs.iter().all(|a| yes(a, &g)),
            (_, Node::And(gs)) => return gs.iter().all(|b| yes(&f, b)),
            _ => {}
        }
        self.by_right(formulas, f, g)
            || self.by_left(formulas, f, g)
            || self.by_both(formulas, f, g)
    }

    /// Ways in which g is entailed by one of its own parts.
    fn by_right(&mut self, formulas: &Formulas, f: Formula, g: Formula) -> bool {
        let class = self.classes.of(formulas, f);
        let mut yes = |b: &Formula| self.implies(formulas, f, *b);
        match formulas.node(g) {
            Node::Or(gs) => gs.iter().any(yes),
            Node::Eventually(b) => yes(b),
            Node::Always(b) | Node::Next(b) => class.universal && yes(b),
            Node::Until(_, b) => yes(b),
            Node::WeakUntil(a, b) => yes(b) || class.universal && yes(a),
            Node::Release(a, b) => yes(b) && (class.universal || yes(a)),
            Node::StrongRelease(a, b) => yes(a) && yes(b),
            _ => false,
        }
    }

    /// Ways in which f entails one of its own parts that entails g.
    fn by_left(&mut self, formulas: &Formulas, f: Formula, g: Formula) -> bool {
        let class = self.classes.of(formulas, g);
        let mut yes = |a: &Formula| self.implies(formulas, *a, g);
        match formulas.node(f) {
            Node::And(fs) => fs.iter().any(yes),
            Node::Always(a) => yes(a),
            Node::Eventually(a) | Node::Next(a) => class.eventual && yes(a),
            Node::Until(a, b) => yes(b) && (class.eventual || yes(a)),
            Node::WeakUntil(a, b) => yes(a) && yes(b),
            Node::Release(_, b) => yes(b),
            Node::StrongRelease(a, b) => yes(b) || class.eventual && yes(a),
            _ => false,
        }
    }

    /// Monotonicity of operators.
    fn by_both(&mut self, formulas: &Formulas, f: Formula, g: Formula) -> bool {
        use Node::{Always, Eventually, Next, Release, StrongRelease, Until, WeakUntil};
        let mut yes = |a: &Formula, b: &Formula| self.implies(formulas, *a, *b);
        match (formulas.node(f), formulas.node(g)) {
            (Next(a), Next(b)) | (Always(a), Always(b)) | (Eventually(a), Eventually(b)) => {
                yes(a, b)
            }
            (Until(a, b), Until(c, d) | WeakUntil(c, d))
            | (WeakUntil(a, b), WeakUntil(c, d))
            | (Release(a, b), Release(c, d))
            | (StrongRelease(a, b), StrongRelease(c, d) | Release(c, d)) => yes(a, c) && yes(b, d),
            (Until(_, b), Eventually(d)) => yes(b, d),
            (StrongRelease(a, b), Eventually(d)) => yes(a, d) || yes(b, d),
            (Always(a), WeakUntil(c, d)) => yes(a, c) || yes(a, d),
            (Always(a), Release(_, d)) => yes(a, d),
            (StrongRelease(a, b), Until(c, d)) => yes(b, c) && (yes(a, d) || yes(b, d)),
            (Release(a, b), WeakUntil(c, d)) => yes(b, c) && yes(a, d) || yes(b, d),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnf::nnf;
    use crate::random::{Rng, Shape};
    use crate::word::{Lasso, holds};

    #[test]
    fn claimed_implications_hold_on_words() {
        let mut rng = Rng::seeded(23);
        let shape = Shape {
            atoms: 2,
            size: 6,
            next: true,
        };
        let mut claims = 0;
        for _ in 0..20_000 {
            let mut formulas = Formulas::new();
            let f = shape.formula(&mut formulas, &mut rng);
            let g = shape.formula(&mut formulas, &mut rng);
            let (f, g) = (nnf(&mut formulas, f), nnf(&mut formulas, g));
            if Implications::default().implies(&formulas, f, g) {
                claims += 1;
                for _ in 0..4 {
                    let lasso = Lasso::random(&mut rng, 2, 2, 3);
                    let ok = !holds(&formulas, f, &lasso) || holds(&formulas, g, &lasso);
                    let atoms = crate::formula::Atoms::new();
                    let (f, g) = (formulas.to_text(f, &atoms), formulas.to_text(g, &atoms));
                    assert!(ok, "{f} does not imply {g} on {lasso:?}");
                }
            }
        }
        assert!(claims > 1_500);
    }
}
