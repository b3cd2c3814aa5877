//! Condition F: its dependency is one, its search agrees with an explicit graph, and its reduction agrees with both.
//!
//! `AMPLE_MODELS=4000 AMPLE_SEED=100000 cargo test --release --test fairness_f -- --nocapture` for more.

mod support;

use ample::internals::fairness::Fairness;
use ample::internals::reduce::{Ample, obstacle_under_f};
use promela_lite::opt::Passes;
use promela_lite::program::Program;
use promela_random as random;
use std::collections::BTreeSet;
use std::sync::Arc;
use support::fair::graph::Graph;
use support::fair::{loops, planned, property, violated, violated_reduced};
use support::number;
use support::search::program;

const MOST: usize = 3_000;

/// The formulas that a random model is asked: its own, and some that can be split.
fn formulas(model: &random::RandomModel) -> Vec<String> {
    let globals = (0..3).filter(|g| model.text.contains(&format!("byte g{g};")));
    let mut all = model.formulas.clone();
    let is = |g: &usize, value: u32| format!("g{g} == {value}");
    let globals: Vec<usize> = globals.collect();
    if let [a, b, ..] = &globals[..] {
        all.push(format!("[]<> ({} || {})", is(a, 1), is(b, 1)));
        all.push(format!("[] (!({}) && !({}))", is(a, 2), is(b, 2)));
        all.push(format!("<>[] ({} && {})", is(a, 0), is(b, 1)));
        all.push(format!("<> ({}) -> <> ({})", is(a, 1), is(b, 1)));
    }
    all
}

/// Operations that do not depend on each other: both remain possible, and their order does not matter.
fn diamonds(graph: &Graph, about: &str) -> u64 {
    let mut checked = 0;
    for (state, steps) in graph.steps.iter().enumerate() {
        for (&a, after_a) in steps {
            for (&b, after_b) in steps.iter().filter(|(b, _)| **b != a) {
                if graph.depend(a, b) {
                    assert!(graph.depend(b, a), "{about}");
                    continue;
                }
                let then = |from: &BTreeSet<u32>, what: usize| -> BTreeSet<u32> {
                    let next = |s: &u32| graph.steps[*s as usize].get(&what);
                    let still = from.iter().all(|s| next(s).is_some());
                    assert!(still, "{what} is stopped after state {state}\n{about}");
                    from.iter().filter_map(next).flatten().copied().collect()
                };
                assert_eq!(then(after_a, b), then(after_b, a), "state {state}\n{about}");
                checked += 1;
            }
        }
    }
    checked
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    compared: u64,
    violated: u64,
    /// Where F makes a difference.
    because: u64,
    reduced: u64,
    full_states: u64,
    reduced_states: u64,
    unsplit_states: u64,
    pairs: u64,
}

/// Compares the verdicts on one model; the explicit graph is the judge.
fn compare(model: &str, formulas: &[String], about: &str, tally: &mut Tally) {
    for (index, formula) in formulas.iter().enumerate() {
        let text = format!("{model}\nltl p {{ {formula} }}\n");
        let about = format!("{about}\n{text}");
        let program = program(&text);
        let Some(property) = property(&program, "p") else {
            continue;
        };
        let Some(graph) = Graph::new(&program, &property, MOST) else {
            continue;
        };
        if index == 0 && obstacle_under_f(&program).is_none() {
            tally.pairs += diamonds(&graph, &about);
        }
        let Some(answer) = violated(&program, "p", &Fairness::f(), &about) else {
            continue;
        };
        assert_eq!(answer, graph.has_fair_violation(&property), "{about}");
        tally.compared += 1;
        tally.violated += u64::from(answer);
        let none = violated(&program, "p", &Fairness::default(), &about);
        tally.because += u64::from(none == Some(!answer));
        let shorter = passed(&program);
        let after = violated(&shorter, "p", &Fairness::f(), &about);
        assert!(after.is_none_or(|a| a == answer), "with passes: {about}");
        let reduced = |program, split| violated_reduced(program, "p", split, &about);
        let [split, whole, both] = [(&program, true), (&program, false), (&shorter, true)]
            .map(|(program, split)| reduced(program, split));
        for (less, _) in [split, whole, both].into_iter().flatten() {
            assert_eq!(less, answer, "reduced: {about}");
            tally.reduced += 1;
        }
        if let (Some((_, split)), Some((_, whole))) = (split, whole) {
            tally.full_states += graph.steps.len() as u64;
            tally.reduced_states += split;
            tally.unsplit_states += whole;
        }
    }
}

fn range(debug: u64, release: u64) -> std::ops::Range<u64> {
    let first = number("AMPLE_SEED", 0);
    let most = if cfg!(debug_assertions) {
        debug
    } else {
        release
    };
    first..first + number("AMPLE_MODELS", most)
}

#[test]
fn random_models_agree() {
    let mut tally = Tally::default();
    for seed in range(100, 400) {
        let model = random::races(seed);
        let about = format!("seed {seed}");
        compare(&model.text, &formulas(&model), &about, &mut tally);
    }
    println!("races: {tally:?}");
    assert!(tally.violated < tally.compared && tally.pairs > 0);
    assert!(tally.reduced_states < tally.full_states);
}

#[test]
fn random_loops_agree() {
    let mut tally = Tally::default();
    for seed in range(150, 600) {
        let (model, formulas) = loops::model(seed);
        compare(&model, &formulas, &format!("seed {seed}"), &mut tally);
    }
    println!("loops: {tally:?}");
    assert!(tally.violated < tally.compared && tally.because > 0);
    assert!(tally.reduced_states < tally.unsplit_states);
}

fn passed(program: &Arc<Program>) -> Arc<Program> {
    let mut shorter = Program::clone(program);
    // Slicing changes which operations depend on each other.
    let passes = Passes {
        slice: false,
        ..Passes::ALL
    };
    passes.apply(&mut shorter, &[]);
    Arc::new(shorter)
}

/// Four processes that count, and end.
const COUNTERS: &str = "byte a, b, c, d;\n\
    active proctype A() { do :: a < 5 -> a++ :: else -> break od }\n\
    active proctype B() { do :: b < 5 -> b++ :: else -> break od }\n\
    active proctype C() { do :: c < 5 -> c++ :: else -> break od }\n\
    active proctype D() { do :: d < 5 -> d++ :: else -> break od }\n\
    ltl split { <>[] (a == 5 && b == 5 && c == 5 && d == 5) }\n\
    ltl whole { [] (a + b + c + d <= 20) }\n";

/// A model, a parameter, a property, and the states of the program: all, and those that are left by C3', by C3 without
/// splitting the property and by C3. The table of `SEMANTICS.md`.
const SAVED: &[(&str, &str, &str, [u64; 4])] = &[
    ("jobs", "STEPS 3", "all", [6859, 233, 233, 141]),
    ("jobs", "STEPS 5", "all", [19683, 345, 345, 205]),
    ("jobs", "STEPS 3", "together", [6859, 233, 233, 233]),
    ("", "COUNTERS", "split", [22621, 5879, 5879, 49]),
    ("", "COUNTERS", "whole", [22621, 5879, 5879, 5879]),
    ("urp", "W 2", "progress", [26937, 10472, 8802, 8802]),
];

#[test]
fn splitting_a_property_saves_states() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for (model, parameter, name, expected) in SAVED {
        let text = match *model {
            "" => COUNTERS.to_owned(),
            file => {
                let path = folder.join(format!("{file}.pml"));
                std::fs::read_to_string(path).expect("a model")
            }
        };
        let program = program(&format!("#define {parameter}\n{text}"));
        let property = property(&program, name).expect("a formula");
        let left = |sets: Ample| planned(&program, sets).map(|(plan, _)| plan.stats.stored);
        let seen = || property.visible(&program);
        let states = [
            Graph::new(&program, &property, 100_000).map(|g| g.steps.len() as u64),
            left(Ample::new(&program, seen())),
            left(Ample::under_f(&program, &[seen()])),
            left(Ample::under_f(&program, &property.parts(&program))),
        ];
        let about = format!("{model} {parameter} {name}");
        assert_eq!(states, expected.map(Some), "{about}");
    }
}

/// Conditions broken on purpose: some model must notice each.
#[cfg(feature = "faults")]
#[test]
fn broken_conditions_are_noticed() {
    use ample::internals::faults::{Fault, with};
    for fault in [
        Fault::SharedVariablesIgnored,
        Fault::LeadingBackAllowed,
        Fault::VisibilityIgnored,
    ] {
        let noticed = (0..3_000).any(|seed| {
            let (model, formulas) = loops::model(seed);
            formulas.iter().any(|formula| {
                let program = program(&format!("{model}\nltl p {{ {formula} }}\n"));
                let right = violated(&program, "p", &Fairness::f(), "broken");
                let broken = with(fault, || violated_reduced(&program, "p", true, "broken"));
                broken.is_some_and(|(answer, _)| right == Some(!answer))
            })
        });
        assert!(noticed, "{fault:?}");
    }
}
