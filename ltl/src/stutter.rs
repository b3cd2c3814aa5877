//! Stutter-invariance: whether a property can tell words apart that differ only in how often letters
//! are repeated.
//!
//! For formulas the answer is exact. A formula without `X` is invariant. Otherwise let cl(A) accept
//! the words that arise from words of A by shortening blocks of equal letters: where s reads a into
//! t and t reads a into u, let s read a into u at once, with the marks of both. A property is
//! invariant iff cl of its automaton and cl of its complement's accept no common word: two
//! stutter-equivalent words of different truth both shorten to the word without repetitions
//! (Michaud and Duret-Lutz 2015).
//!
//! For automata without a formula there is first a local condition, which is quick and often met by
//! claims that people write: reading a letter again never changes what can be done. Then the exact
//! test, with a complement, where that is small enough to build.

use crate::bdd::{Bdd, Bdds};
use crate::buchi::Buchi;
use crate::complement::complement;
use crate::formula::{Formula, Formulas};
use crate::product::intersection;
use crate::rewrite;
use crate::simulation;
use crate::tgba::{Edge, Tgba};
use crate::translate::{self, Error};

/// What is known about the stutter-invariance of an automaton's language.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Invariance {
    /// The language is stutter-invariant.
    Invariant,
    /// It is not.
    Sensitive,
    /// The automaton is too large to decide.
    Unknown,
}

/// Whether `f` is stutter-invariant.
pub fn formula_is_invariant(formulas: &mut Formulas, f: Formula) -> Result<bool, Error> {
    if formulas.is_next_free(f) {
        return Ok(true);
    }
    if formulas.depth(f) > crate::formula::MAX_DEPTH {
        return Err(Error::TooDeep);
    }
    let simple = rewrite::simplify(formulas, f);
    if formulas.is_next_free(simple) {
        return Ok(true);
    }
    let mut bdds = Bdds::of(formulas);
    let not_f = formulas.not(f);
    let positive = translate::reduced(formulas, &mut bdds, f)?;
    let negative = translate::reduced(formulas, &mut bdds, not_f)?;
    closures_are_disjoint(positive.plain, negative.plain, &mut bdds).ok_or(Error::TooLarge)
}

/// Whether the language of an automaton is stutter-invariant.
pub fn automaton_is_invariant(buchi: &Buchi) -> Invariance {
    if is_locally_invariant(buchi) {
        return Invariance::Invariant;
    }
    let mut bdds = Bdds::new();
    let mut positive = buchi.to_tgba(&mut bdds);
    simulation::reduce(&mut positive, &mut bdds);
    let Some(negative) = complement(&positive, &mut bdds) else {
        return Invariance::Unknown;
    };
    match closures_are_disjoint(positive, negative, &mut bdds) {
        Some(true) => Invariance::Invariant,
        Some(false) => Invariance::Sensitive,
        None => Invariance::Unknown,
    }
}

/// A sufficient condition that looks at pairs of edges only: for every letter a, whatever is
/// reached by a can stay where it is on a; whatever is reached by a twice is reached by a once; and
/// staying does not lose acceptance.
pub fn is_locally_invariant(buchi: &Buchi) -> bool {
    let mut bdds = Bdds::new();
    let automaton = buchi.to_tgba(&mut bdds);
    let reached = automaton.components().members.concat();
    let mut between = |s: usize, t: usize| {
        let edges = automaton.edges[s].iter().filter(|e| e.target == t);
        edges.fold(Bdd::FALSE, |sum, e| bdds.or(sum, e.label))
    };
    let mut steps = Vec::new();
    for &s in &reached {
        for e in &automaton.edges[s] {
            let stay = between(e.target, e.target);
            let again = automaton.edges[e.target].iter();
            let shortcuts = again
                .map(|f| (f.label, between(s, f.target), f.target))
                .collect();
            steps.push((e, stay, shortcuts));
        }
    }
    let accepting = |s: usize| buchi.is_accepting(crate::buchi::StateId(s as u32));
    steps.into_iter().all(
        |(e, stay, shortcuts): (&Edge, Bdd, Vec<(Bdd, Bdd, usize)>)| {
            bdds.implies(e.label, stay)
                && shortcuts.into_iter().all(|(label, shortcut, target)| {
                    let twice = bdds.and(e.label, label);
                    twice == Bdd::FALSE
                        || bdds.implies(twice, shortcut)
                            && (!accepting(e.target) || accepting(target))
                })
        },
    )
}

/// `None` if the closures grow too large.
fn closures_are_disjoint(mut a: Tgba, mut b: Tgba, bdds: &mut Bdds) -> Option<bool> {
    close(&mut a, bdds)?;
    close(&mut b, bdds)?;
    let disjoint = intersection(&a, &b, bdds).is_empty();
    (!bdds.is_exhausted()).then_some(disjoint)
}

/// Closures with more edges are abandoned.
const MAX_EDGES: usize = 2_000;

/// Adds to an automaton the words that arise by shortening blocks.
fn close(automaton: &mut Tgba, bdds: &mut Bdds) -> Option<()> {
    for s in 0..automaton.len() {
        if automaton.edge_count() > MAX_EDGES {
            return None;
        }
        let mut done = 0;
        while done < automaton.edges[s].len() {
            let first = automaton.edges[s][done].clone();
            done += 1;
            for second in automaton.edges[first.target].clone() {
                let marks = first.marks | second.marks;
                let mut label = bdds.and(first.label, second.label);
                for known in &automaton.edges[s] {
                    if known.target == second.target && marks & !known.marks == 0 {
                        label = bdds.minus(label, known.label);
                    }
                }
                if label != Bdd::FALSE {
                    automaton.edges[s].push(Edge {
                        label,
                        marks,
                        target: second.target,
                    });
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atoms;
    use crate::parse;
    use crate::random::{Rng, Shape};
    use crate::word::{Lasso, accepts, holds};

    /// A word that is stutter-equivalent to `lasso`.
    fn stutter(rng: &mut Rng, lasso: &Lasso) -> Lasso {
        let mut repeat = |letters: &[u64]| {
            let blocks = letters.iter().map(|l| vec![*l; 1 + rng.below(3)]);
            blocks.collect::<Vec<_>>().concat()
        };
        let (prefix, cycle) = (repeat(lasso.prefix()), repeat(lasso.cycle()));
        Lasso::new(prefix, cycle).unwrap()
    }

    #[test]
    fn formulas_are_decided_exactly() {
        let cases = [
            ("[](p -> <>q)", true),
            ("X p", false),
            ("X true", true),
            ("<> X p", false),
            ("[]<> X p", true),
            ("<>[] X p", true),
            ("<>(p && X !p)", true),
            ("<>(p && X p)", false),
            ("p && X(p U q)", false),
            ("p U (p && X (!p && q))", true),
            ("[](p -> X p)", true),
            ("[]<>(p && X q && !q)", true),
            ("(X p U X q) || !X(p U q)", true),
            ("<>(p && !q && X(q U r))", false),
        ];
        for (text, expected) in cases {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let f = parse::formula(&mut formulas, &mut atoms, text).unwrap();
            assert_eq!(
                formula_is_invariant(&mut formulas, f),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn invariant_formulas_never_notice_stuttering() {
        let mut rng = Rng::seeded(61);
        let shape = Shape {
            atoms: 2,
            size: 7,
            next: true,
        };
        let (mut invariant, mut noticed, mut sensitive) = (0, 0, 0);
        for _ in 0..600 {
            let mut formulas = Formulas::new();
            let f = shape.formula(&mut formulas, &mut rng);
            let claim = formula_is_invariant(&mut formulas, f).unwrap();
            let mut differ = || {
                let lasso = Lasso::random(&mut rng, 2, 3, 3);
                let other = stutter(&mut rng, &lasso);
                holds(&formulas, f, &lasso) != holds(&formulas, f, &other)
            };
            let seen = (0..100).any(|_| differ());
            assert!(!(claim && seen), "{}", formulas.to_text(f, &Atoms::new()));
            invariant += u32::from(claim && !formulas.is_next_free(f));
            sensitive += u32::from(!claim);
            noticed += u32::from(seen);
        }
        // What is called sensitive nearly always shows itself on some random word.
        assert!(invariant > 20 && noticed > 100 && noticed * 10 >= sensitive * 9);
    }

    /// Claims that are invariant as languages though no single run is: they count letters.
    #[test]
    fn claims_that_count_are_decided() {
        let claim = |edges: &str| {
            let text = format!(
                "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0) --BODY-- {edges} --END--"
            );
            crate::hoa::read(&text, &mut Atoms::new()).unwrap()
        };
        // p, an even or an odd number of times, then !p for ever.
        let both =
            claim("State: 0 [0] 1 [0] 2 State: 1 [0] 2 State: 2 [0] 1 [!0] 3 State: 3 {0} [!0] 3");
        assert!(!is_locally_invariant(&both));
        assert_eq!(automaton_is_invariant(&both), Invariance::Invariant);
        let even = claim("State: 0 [0] 1 State: 1 [0] 2 State: 2 [0] 1 [!0] 3 State: 3 {0} [!0] 3");
        assert_eq!(automaton_is_invariant(&even), Invariance::Sensitive);
        let plain = claim("State: 0 [0] 0 [!0] 1 State: 1 {0} [!0] 1");
        assert!(is_locally_invariant(&plain));
    }

    #[test]
    fn automata_agree_with_their_formulas() {
        let mut rng = Rng::seeded(67);
        let shape = Shape {
            atoms: 2,
            size: 6,
            next: true,
        };
        let mut unknown = 0;
        for _ in 0..300 {
            let mut formulas = Formulas::new();
            let f = shape.formula(&mut formulas, &mut rng);
            let buchi = translate::buchi(&mut formulas, f).unwrap();
            let expected = formula_is_invariant(&mut formulas, f).unwrap();
            match automaton_is_invariant(&buchi) {
                Invariance::Unknown => unknown += 1,
                found => assert_eq!(found == Invariance::Invariant, expected),
            }
        }
        assert!(unknown < 30, "{unknown}");
    }

    /// The local condition never contradicts the exact test, and is met by more than nothing.
    #[test]
    fn the_local_condition_is_sufficient() {
        let mut rng = Rng::seeded(69);
        let mut local = 0;
        for _ in 0..8_000 {
            let states = 1 + rng.below32(3);
            let buchi = Buchi::random(&mut rng, states, 1);
            if is_locally_invariant(&buchi) && !buchi.is_empty_language() {
                local += 1;
                for _ in 0..20 {
                    let lasso = Lasso::random(&mut rng, 1, 3, 3);
                    let other = stutter(&mut rng, &lasso);
                    assert_eq!(
                        accepts(&buchi, &lasso),
                        accepts(&buchi, &other),
                        "{buchi:?}"
                    );
                }
            }
        }
        assert!(local > 100, "{local}");
    }
}
