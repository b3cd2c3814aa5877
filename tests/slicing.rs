//! Slicing never changes a verdict: random models in which much influences nothing, checked in every way to search with and
//! without it; and cycles that do not close for a long time.
//!
//! The models of `tests/models/slicing` are walked by `tests/models.rs`. With `--features faults` each condition of slicing is
//! broken, and one of these models tells: `cargo test --features faults --test slicing`.
//!
//! `AMPLE_MODELS=5000 AMPLE_SEED=100000 cargo test --release --test slicing` for more.

mod support;

use ample::check::{Failed, FairnessOptions, Goal, Model, Options, Store};
use ample::internals::fairness::FairnessKind;
use ample::internals::verdict::Word;
use promela_lite::opt::Passes;
use promela_random as random;
use std::fmt::Write;
use std::time::{Duration, Instant};
use support::cli::Dir;
use support::number;

/// Searches that visit more states than this show nothing.
const MAX_STATES: u64 = 20_000;

fn with(slice: bool, merge: bool, reduced: bool, workers: usize, store: Store) -> Options {
    Options {
        passes: Passes {
            slice,
            merge,
            dead_variables: merge,
        },
        reduction: (!reduced).then_some(false),
        workers: Some(workers),
        join_after: (workers > 1).then_some(0),
        store: Some(store),
        states: Some(MAX_STATES),
        ..Options::default()
    }
}

/// Whether a goal is violated; none where a search was cut short, or cannot be made.
fn verdict(model: &Model, goal: &Goal, options: &Options, about: &str) -> Option<bool> {
    match model.check(goal, options) {
        Ok(checked) => match checked.verdict.word() {
            Word::Holds | Word::ProbablyHolds => Some(false),
            Word::Violated => Some(true),
            Word::Inconclusive => None,
        },
        Err(Failed::Refused(_)) => None,
        Err(failed) => panic!("{failed}\n{options:?}\n{about}"),
    }
}

/// How much was compared.
#[derive(Debug, Default)]
struct Tally {
    models: u32,
    goals: u32,
    violated: u32,
    compared: u32,
}

fn agree(text: &str, about: &str, tally: &mut Tally) {
    let about = format!("{about}\n{text}");
    let model = Model::from_source(text).unwrap_or_else(|errors| panic!("{errors}\n{about}"));
    tally.models += 1;
    for goal in model.goals() {
        for kind in [FairnessKind::None, FairnessKind::Weak, FairnessKind::Strong] {
            let fair = |options: Options| Options {
                fairness: FairnessOptions {
                    all: kind,
                    ..FairnessOptions::default()
                },
                ..options
            };
            let plain = fair(Options {
                workers: Some(1),
                states: Some(MAX_STATES),
                ..Options::plain()
            });
            let Some(due) = verdict(&model, &goal, &plain, &about) else {
                continue;
            };
            tally.goals += 1;
            tally.violated += u32::from(due);
            for index in 0..32 {
                let bit = |n: u32| index >> n & 1 == 1;
                let workers = [1, 1, 2, 4][index & 3];
                let store = match bit(4) {
                    true => Store::Compressed,
                    false => Store::Exact,
                };
                // All of the eight choices of passes and reduction, and some of those of workers and stores with each.
                let (slice, merge, reduced) = (bit(2), bit(3), bit(0));
                let options = fair(with(slice, merge, reduced, workers, store));
                let found = verdict(&model, &goal, &options, &about);
                let name = goal.name(&model);
                assert!(
                    found.is_none_or(|found| found == due),
                    "{name}, {kind:?}: {found:?}, not {due}\n{options:?}\n{about}"
                );
                tally.compared += u32::from(found.is_some());
            }
        }
    }
}

fn agree_on(models: fn(u64) -> random::RandomModel, usual: u64) {
    let first = number("AMPLE_SEED", 0);
    let count = number("AMPLE_MODELS", usual);
    let mut tally = Tally::default();
    for seed in first..first + count {
        agree(
            &models(seed).with_ltl(),
            &format!("seed {seed}"),
            &mut tally,
        );
    }
    println!("{tally:?}");
    let Tally {
        goals, violated, ..
    } = tally;
    assert!(violated * 5 > goals && violated < goals, "{tally:?}");
}

#[test]
fn verdicts_are_the_same_on_models_with_statistics() {
    agree_on(random::statistics, 25);
}

#[test]
fn verdicts_are_the_same_on_models_of_all_constructs() {
    agree_on(random::swarm, 15);
}

/// Cycles of the sliced program that close late or never: the counterexample is a run of the model as written.
#[test]
fn cycles_that_do_not_close_are_violations() {
    let models = [
        // The counter comes back after 65536 rounds, or after 2³².
        "short n; bit x; active proctype P() { do :: x = 1 - x; n++ od }",
        "int n; bit x; active proctype P() { do :: x = 1 - x; n++ od }",
        // By way of others, and through messages.
        "int n, m, k; bit x;
         active proctype P() { int u; do :: x = 1 - x; n++; u = n * 3; m = m + u; k = m od }",
        "int n; bit x; chan c = [2] of { bit, int, int };
         active proctype P() { do :: x = 1 - x; c!x,n,7; n++ od }
         active proctype Q() { bit k; int u; do :: c?k,u,_ od }",
        // What the footprints are too coarse for: a step of several statements.
        "byte n; bit x; active proctype P() { do :: d_step { x = 1 - x; n++ } od }",
        "int n; bit x; active proctype P() { do :: d_step { x = 1 - x; n++ } od }",
    ];
    for (index, text) in models.iter().enumerate() {
        let text = format!("{text}\nltl settles {{ <> [] (x == 1) }}\n");
        let model = Model::from_source(&text).expect("a model");
        let goal = model.goal("settles").expect("a formula");
        let options = Options {
            states: Some(100_000),
            ..Options::default()
        };
        let checked = model.check(&goal, &options).expect("an answer");
        assert_eq!(checked.verdict.word(), Word::Violated, "{text}");
        let finding = &checked.findings[0];
        assert!(finding.cycle().is_some(), "{text}");
        finding.steps(&model).expect("a run of the model");
        let dir = Dir::with_model(&format!("slicing_cycle_{index}"), &text);
        dir.ample(&["check", "m.pml", "--states", "100000"])
            .exits(1);
        dir.ample(&["replay", "m.pml", "m.pml.settles.trail.json"])
            .exits(1);
    }
}

/// What a cycle may differ in is nothing that a step, or the property, depends on.
#[test]
fn cycles_that_only_seem_to_close_are_none() {
    for text in [
        "byte n; bit x; active proctype P() { do :: n < 9 -> x = 1 - x; n++ od }",
        "byte n; bit x;
         active proctype P() { do :: x = 1 - x; n = (n < 200 -> n + 1 : n); assert(n < 100) od }",
    ] {
        let text =
            format!("{text}\nltl settles {{ [] <> (x == 1) }}\nltl grows {{ [] (n < 9) }}\n");
        let mut tally = Tally::default();
        agree(&text, "by hand", &mut tally);
        assert!(tally.compared > 50, "{tally:?}");
    }
}

/// The analysis takes time linear in the model.
#[test]
fn large_models_are_sliced_at_once() {
    let statements = 100_000;
    let mut text =
        "byte x, a[100]; int n, m; chan c = [1] of { byte, int };\nactive proctype P() {\n"
            .to_owned();
    for index in 0..statements / 5 {
        let _ = writeln!(
            text,
            "n = m + {index}; m = n; a[x % 100] = n; c!x,n; (x == 0);"
        );
    }
    text.push_str("}\nactive proctype Q() { byte k; int u; end: do :: c?k,u od }\n");
    let model = Model::from_source(&text).expect("a model");
    let mut program = (*model.program).clone();
    let start = Instant::now();
    let slice = Passes {
        slice: true,
        ..Passes::NONE
    };
    assert_eq!(slice.apply(&mut program, &[]), ["slice"]);
    let took = start.elapsed();
    println!("{statements} statements: {took:?}");
    let most = if cfg!(debug_assertions) { 8 } else { 4 };
    assert!(took < Duration::from_secs(most), "{took:?}");
}

#[cfg(feature = "faults")]
#[test]
fn every_broken_condition_is_noticed() {
    use ample::internals::faults::{Fault, with as faulty};
    use support::models::models;
    let cases = models("slicing");
    let mistaken = |workers: usize| {
        let wrong = cases.iter().filter(|case| {
            let model = Model::from_source(&case.text).expect("a model");
            case.facts.expected.iter().any(|due| {
                let goal = model.goal(&due.goal).expect("a goal");
                let options = with(true, true, true, workers, Store::Exact);
                let checked = model.check(&goal, &options);
                checked.is_ok_and(|c| (c.verdict.word() == Word::Violated) != due.violated)
            })
        });
        wrong.map(|case| case.name.clone()).collect::<Vec<_>>()
    };
    for workers in [1, 2] {
        assert_eq!(mistaken(workers), [""; 0]);
        for fault in Fault::OF_SLICING {
            let noticed = faulty(fault, || mistaken(workers));
            println!("{fault:?}, {workers} workers: {}", noticed.join(", "));
            assert!(!noticed.is_empty(), "{fault:?} is noticed by no case");
        }
    }
}
