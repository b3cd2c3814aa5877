//! The long form of the random tests: translator against reference semantics.
//!
//! `cargo run --release -p ltl --example fuzz [-- FORMULAS [SEED]]` (10,000 formulas by default)
//!
//! For each formula f, on random lasso words: the automaton of f accepts exactly those on which f
//! holds, the automaton of !f exactly the others; the two automata have no word in common; what is
//! called stutter-invariant does not notice stuttering; and the hierarchy classes that syntax shows
//! are among those that automata show.

use ltl::random::{Rng, Shape};
use ltl::word::{Lasso, accepts, holds};
use ltl::{Atoms, Formulas, classify, stutter, translate};

fn main() {
    let number = |n: usize| std::env::args().nth(n).and_then(|a| a.parse().ok());
    let (count, seed) = (number(1).unwrap_or(10_000), number(2).unwrap_or(1));
    let mut rng = Rng::seeded(seed);
    let (mut words, mut states, mut largest) = (0u64, 0, 0);
    for i in 0..count {
        let shape = Shape {
            atoms: 1 + rng.below32(4),
            size: 4 + rng.below32(12),
            next: rng.below32(3) > 0,
        };
        let mut formulas = Formulas::new();
        let f = shape.formula(&mut formulas, &mut rng);
        let not_f = formulas.not(f);
        let text = formulas.to_text(f, &Atoms::new());
        let yes = translate::buchi(&mut formulas, f).expect("random formulas are small");
        let no = translate::buchi(&mut formulas, not_f).expect("random formulas are small");
        assert!(
            yes.intersection(&no).is_empty_language(),
            "{text}: common word"
        );
        states += yes.len();
        largest = largest.max(yes.len());
        let invariant = stutter::formula_is_invariant(&mut formulas, f).expect("small");
        for _ in 0..20 {
            let lasso = Lasso::random(&mut rng, shape.atoms, 4, 4);
            let expected = holds(&formulas, f, &lasso);
            assert_eq!(accepts(&yes, &lasso), expected, "{text} on {lasso:?}");
            assert_ne!(accepts(&no, &lasso), expected, "!({text}) on {lasso:?}");
            if invariant {
                let double = |letters: &[u64]| letters.iter().flat_map(|l| [*l, *l]).collect();
                let slow = Lasso::new(double(lasso.prefix()), double(lasso.cycle()));
                let slow = slow.expect("the cycle is not empty");
                assert_eq!(
                    holds(&formulas, f, &slow),
                    expected,
                    "{text} notices {lasso:?}"
                );
            }
            words += 1;
        }
        if i % 10 == 0 {
            let syntax = classify::syntactic(&mut formulas, f);
            let all = classify::semantic(&mut formulas, f).expect("small");
            let included = (!syntax.safety || all.safety)
                && (!syntax.guarantee || all.guarantee)
                && (!syntax.obligation || all.obligation);
            assert!(included, "{text}: {syntax:?} {all:?}");
        }
    }
    println!(
        "{count} formulas, {words} words each way, {states} states, the largest {largest}: agreed"
    );
}
