//! Where a reduction goes wrong if it is not careful, case by case: see `reduction_traps/traps.txt`.
//!
//! With `--features faults` every condition on ample sets can be broken on purpose; each such fault must be noticed by one
//! of the cases: `cargo test --features faults --test reduction_traps`.

mod support;

use ample::internals::reduce::obstacle;
use promela_lite::program::Program;
use std::sync::Arc;
use support::search::{Way, program, violated};

/// The searches that reduce.
const REDUCED: [Way; 4] = [
    Way::Reduced,
    Way::ReducedTogether,
    Way::ReducedBreadthFirst,
    Way::ReducedCompact,
];

struct Case {
    name: &'static str,
    unreduced: bool,
    facts: Vec<(&'static str, bool)>,
    program: Arc<Program>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("reduction_traps/traps.txt");
    let cases = text.split("\n== ").skip(1);
    cases
        .map(|case| {
            let (heading, body) = case.split_once('\n').expect("a heading");
            let (name, unreduced) = match heading.split_once(' ') {
                Some((name, "unreduced")) => (name, true),
                Some((_, other)) => panic!("{heading}: what is {other}?"),
                None => (heading, false),
            };
            let facts = body
                .lines()
                .filter_map(|line| line.strip_prefix("-- "))
                .map(|fact| match fact.split_once(' ') {
                    Some((what, "violated")) => (what, true),
                    Some((what, "holds")) => (what, false),
                    _ => panic!("{name}: {fact}"),
                })
                .collect();
            let is_model = |line: &&str| !line.starts_with("-- ");
            let model: Vec<&str> = body.lines().filter(is_model).collect();
            Case {
                name,
                unreduced,
                facts,
                program: program(&model.join("\n")),
            }
        })
        .collect()
}

#[test]
fn every_way_to_search_gets_every_trap_right() {
    let cases = cases();
    assert!(cases.len() > 50);
    let mut wrong = Vec::new();
    for case in &cases {
        let off = obstacle(&case.program).is_some();
        assert_eq!(off, case.unreduced, "{}: is it reduced?", case.name);
        for &(what, expected) in &case.facts {
            for way in [Way::Plain, Way::Changes].into_iter().chain(REDUCED) {
                let answer = violated(&case.program, what, way).map(|(v, _)| v);
                if answer.is_some_and(|v| v != expected) || (answer.is_none() && way == Way::Plain)
                {
                    wrong.push(format!("{}: {what} {way:?}: {answer:?}", case.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(feature = "faults")]
#[test]
fn every_broken_condition_is_noticed() {
    use ample::internals::faults::{Fault, with};
    let cases = cases();
    // Two are about the order of searches: `search::twin` has their cases.
    let elsewhere = [Fault::InnerSearchDecides, Fault::TiesIgnored];
    let mut unnoticed = Vec::new();
    let faults = Fault::ALL.into_iter().filter(|f| !elsewhere.contains(f));
    for (fault, way) in faults.flat_map(|f| REDUCED.map(|way| (f, way))) {
        let noticed: Vec<&str> = cases
            .iter()
            .filter(|case| {
                case.facts.iter().any(|&(what, expected)| {
                    let answer = with(fault, || violated(&case.program, what, way));
                    answer.is_some_and(|(v, _)| v != expected)
                })
            })
            .map(|case| case.name)
            .collect();
        println!("{fault:?}, {way:?}: {}", noticed.join(", "));
        // Safety sees nothing, so there is nothing to ignore.
        let sees_nothing = fault == Fault::VisibilityIgnored && way == Way::ReducedBreadthFirst;
        if noticed.is_empty() && !sees_nothing {
            unnoticed.push((fault, way));
        }
    }
    assert!(unnoticed.is_empty(), "noticed by no case: {unnoticed:?}");
}
