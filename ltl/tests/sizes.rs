//! Sizes of automata on the well-known sets: they may shrink, not grow.

use ltl::patterns::{self, SETS};
use ltl::{Atoms, Formulas, translate};

/// For each set: its length, and states and edges in total as last measured.
const MEASURED: &[(&str, usize, usize, usize)] = &[
    ("dac", 55, 227, 693),
    ("eh", 12, 48, 115),
    ("sb", 27, 86, 174),
];

#[test]
fn automata_of_the_known_sets_stay_small() {
    for (set, (name, length, states, edges)) in SETS.iter().zip(MEASURED) {
        let mut total = (0, 0);
        for text in set.formulas {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let f = patterns::read(&mut formulas, &mut atoms, text);
            let buchi = translate::buchi(&mut formulas, f).unwrap();
            total.0 += buchi.len();
            total.1 += buchi.edge_count();
        }
        assert_eq!((set.name, set.formulas.len()), (*name, *length));
        assert!(total.0 <= *states && total.1 <= *edges, "{name}: {total:?}");
    }
}

/// Formulas whose best automata are known.
#[test]
fn some_sizes_are_exact() {
    let cases = [
        ("[]<>p", 2),
        ("<>[]p", 2),
        ("[](p -> <>q)", 2),
        ("p U q", 2),
        ("[]p", 1),
        ("<>p && <>q", 4),
        ("[]<>p && []<>q", 3),
        ("<>p || <>q", 2),
        ("X X p", 4),
        ("true", 1),
        ("false", 1),
        ("p && !p", 1),
        ("(p U q) && !(p U q)", 1),
        ("[](p || X p || X X p)", 3),
    ];
    for (text, states) in cases {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let f = ltl::parse::formula(&mut formulas, &mut atoms, text).unwrap();
        assert_eq!(
            translate::buchi(&mut formulas, f).unwrap().len(),
            states,
            "{text}"
        );
    }
}
