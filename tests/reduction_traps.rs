//! Where a reduction goes wrong if it is not careful, case by case: the models of `tests/models/traps`.
//!
//! `tests/models.rs` searches them in every way. Here, with `--features faults`, every condition on ample sets is broken on
//! purpose; each such fault must be noticed by one of the cases: `cargo test --features faults --test reduction_traps`.

mod support;

use support::models::{Case, models};
use support::search::{Way, program, violated};

/// The searches that reduce.
const REDUCED: [Way; 4] = [
    Way::Reduced,
    Way::ReducedTogether,
    Way::ReducedBreadthFirst,
    Way::ReducedCompact,
];

/// Those that reduce by way of stubborn sets.
const STUBBORN: [Way; 2] = [Way::Stubborn, Way::StubbornTogether];

/// The goals of which one of these searches says what is not so.
fn mistaken(case: &Case, way: Way) -> Vec<&str> {
    let program = program(&case.text);
    let is_wrong =
        |goal: &str, due: bool| violated(&program, goal, way).is_some_and(|(v, _)| v != due);
    let wrong = case
        .facts
        .expected
        .iter()
        .filter(|e| is_wrong(&e.goal, e.violated));
    wrong.map(|e| e.goal.as_str()).collect()
}

#[test]
fn every_engine_gets_every_trap_right() {
    let cases = models("traps");
    assert!(cases.len() > 50);
    for case in &cases {
        assert!(
            case.facts.reduced.is_some(),
            "{}: is it reduced?",
            case.name
        );
        let ways = [Way::Plain, Way::Changes].into_iter();
        for way in ways.chain(REDUCED).chain(STUBBORN) {
            assert_eq!(mistaken(case, way), [""; 0], "{}, {way:?}", case.name);
        }
    }
}

#[cfg(feature = "faults")]
#[test]
fn every_broken_condition_is_noticed() {
    use ample::internals::faults::{Fault, with};
    let cases = models("traps");
    // Two are about the order of searches: `search::twin` has their cases. One is noticed by `tests/fairness.rs`.
    let elsewhere = [
        Fault::InnerSearchDecides,
        Fault::TiesIgnored,
        Fault::FairnessForgotten,
    ];
    let mut unnoticed = Vec::new();
    // Those of slicing are noticed by `tests/slicing.rs`.
    let of_slicing = Fault::OF_SLICING;
    let faults = Fault::ALL.into_iter();
    let faults = faults.filter(|f| !elsewhere.contains(f) && !of_slicing.contains(f));
    let of_stubborn_sets = Fault::OF_STUBBORN_SETS;
    let ways = |fault: &Fault| match of_stubborn_sets.contains(fault) {
        true => STUBBORN.to_vec(),
        false => REDUCED.to_vec(),
    };
    for (fault, way) in faults.flat_map(|f| ways(&f).into_iter().map(move |way| (f, way))) {
        let noticed = with(fault, || {
            let cases = cases.iter().filter(|case| !mistaken(case, way).is_empty());
            cases.map(|case| case.name.as_str()).collect::<Vec<_>>()
        });
        println!("{fault:?}, {way:?}: {}", noticed.join(", "));
        // Safety sees nothing, so there is nothing to ignore.
        let sees_nothing = fault == Fault::VisibilityIgnored && way == Way::ReducedBreadthFirst;
        if noticed.is_empty() && !sees_nothing {
            unnoticed.push((fault, way));
        }
    }
    assert!(unnoticed.is_empty(), "noticed by no case: {unnoticed:?}");
}
