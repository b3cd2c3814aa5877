//! Which formulas are insensitive to prefixes (Etessami and Holzmann 2000).
//!
//! A *pure eventuality* stays true when letters are put before a word, a *purely universal* formula
//! stays true when letters are taken away from its front. Both are decided by syntax, soundly and
//! not completely; random words test the claims.

use crate::formula::{Formula, Formulas, Node};
use rustc_hash::FxHashMap;

/// What is known about a formula.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) eventual: bool,
    pub(crate) universal: bool,
}

/// Memoised classification of formulas in negation normal form.
#[derive(Default)]
pub(crate) struct Classes {
    memo: FxHashMap<Formula, Class>,
}

impl Classes {
    pub(crate) fn of(&mut self, formulas: &Formulas, f: Formula) -> Class {
        if let Some(&known) = self.memo.get(&f) {
            return known;
        }
        let mut class = |g: &Formula| self.of(formulas, *g);
        let both = |a: Class, b: Class| Class {
            eventual: a.eventual && b.eventual,
            universal: a.universal && b.universal,
        };
        let neither = Class {
            eventual: false,
            universal: false,
        };
        let found = match formulas.node(f) {
            Node::True | Node::False => Class {
                eventual: true,
                universal: true,
            },
            Node::And(gs) | Node::Or(gs) => {
                let mut classes = gs.iter().map(class);
                let first = classes.next().unwrap_or(neither);
                classes.fold(first, both)
            }
            Node::Next(g) => class(g),
            Node::Eventually(g) => Class {
                eventual: true,
                universal: class(g).universal,
            },
            Node::Always(g) => Class {
                eventual: class(g).eventual,
                universal: true,
            },
            Node::Until(g, h) => Class {
                eventual: class(h).eventual,
                universal: both(class(g), class(h)).universal,
            },
            Node::Release(g, h) => Class {
                eventual: both(class(g), class(h)).eventual,
                universal: class(h).universal,
            },
            Node::WeakUntil(g, h) | Node::StrongRelease(g, h) => both(class(g), class(h)),
            _ => neither,
        };
        self.memo.insert(f, found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnf::nnf;
    use crate::random::{Rng, Shape};
    use crate::word::{Lasso, holds};

    #[test]
    fn classified_formulas_ignore_prefixes_as_claimed() {
        let mut rng = Rng::seeded(21);
        let (mut eventual, mut universal) = (0, 0);
        for _ in 0..10_000 {
            let mut formulas = Formulas::new();
            let f = Shape::default().formula(&mut formulas, &mut rng);
            let f = nnf(&mut formulas, f);
            let class = Classes::default().of(&formulas, f);
            let short = Lasso::random(&mut rng, 3, 1, 2);
            let extra = (0..1 + rng.below32(2)).map(|_| rng.next_u64() & 7);
            let prefix = extra.chain(short.prefix().iter().copied()).collect();
            let long = Lasso::new(prefix, short.cycle().to_vec()).unwrap();
            let (short, long) = (holds(&formulas, f, &short), holds(&formulas, f, &long));
            assert!(!class.eventual || !short || long);
            assert!(!class.universal || !long || short);
            eventual += u32::from(class.eventual);
            universal += u32::from(class.universal);
        }
        assert!(eventual > 500 && universal > 500);
    }
}
