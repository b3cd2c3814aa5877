//! Weak fairness with stores that keep less than a state: the search in rounds finds a violation where the one by components
//! does, on random models and on models that need fairness. A store that is far too small may miss it, but invents none.
//!
//! More models with `AMPLE_MODELS=300`.

mod support;

use ample::check::{FairnessOptions, Options, Store};
use ample::internals::fairness::FairnessKind;
use ample::{Model, Word};
use promela_random as random;

use support::cli::Dir;
use support::number;

/// Every goal that is a property, with its verdict.
fn verdicts(model: &Model, options: &Options) -> Vec<(String, Word)> {
    let goals = model.goals().into_iter().skip(1);
    let verdict = |goal: ample::Goal| {
        let checked = model
            .check(&goal, options)
            .unwrap_or_else(|e| panic!("{}: {e}", goal.name(model)));
        (goal.name(model).to_owned(), checked.verdict.word())
    };
    goals.map(verdict).collect()
}

fn options(store: Option<Store>, memory: u64) -> Options {
    Options {
        fairness: FairnessOptions {
            all: FairnessKind::Weak,
            ..FairnessOptions::default()
        },
        store,
        workers: Some(1),
        states: Some(30_000),
        memory: Some(memory),
        accept_probabilistic: store.is_some(),
        ..Options::default()
    }
}

/// Compares the stores on a model; says how many goals hold and how many are violated, none if a limit was reached.
fn compare(model: &Model, about: &str) -> Option<(usize, usize)> {
    let exact = verdicts(model, &options(None, 1 << 27));
    if exact.iter().any(|(_, word)| *word == Word::Inconclusive) {
        return None;
    }
    let many = Options {
        states: Some(2_000_000),
        ..options(Some(Store::Compact), 1 << 27)
    };
    let compact = verdicts(model, &many);
    for ((name, exact), (_, compact)) in exact.iter().zip(&compact) {
        let expected = match exact {
            Word::Holds => Word::ProbablyHolds,
            other => *other,
        };
        assert_eq!(*compact, expected, "{name}: {about}");
    }
    // Three quarters of the memory are bits: enough for a few hundred states.
    let tiny = verdicts(model, &options(Some(Store::Bitstate), 4 << 10));
    for ((name, exact), (_, tiny)) in exact.iter().zip(&tiny) {
        assert!(
            *tiny != Word::Violated || *exact == Word::Violated,
            "{name}: {about}"
        );
        assert_ne!(*tiny, Word::Holds, "{name}: {about}");
    }
    let bad = exact
        .iter()
        .filter(|(_, word)| *word == Word::Violated)
        .count();
    Some((exact.len() - bad, bad))
}

#[test]
fn random_models() {
    let (first, count) = (number("AMPLE_SEED", 0), number("AMPLE_MODELS", 60));
    let (mut compared, mut held, mut violated) = (0, 0, 0);
    for seed in first..first + count {
        let text = random::swarm(seed).with_ltl();
        let model = Model::from_source(&text).unwrap_or_else(|e| panic!("{e}"));
        if let Some((good, bad)) = compare(&model, &format!("seed {seed}\n{text}")) {
            compared += 1;
            held += good;
            violated += bad;
        }
    }
    println!("{compared} of {count} compared: {held} goals hold, {violated} are violated");
    assert!(compared * 2 > count && held > 0 && violated > 0);
}

/// Models in which fairness makes the difference: to a process that is always enabled, to one that is enabled now and then,
/// inside `atomic`, through a rendezvous, to one that is started later.
const FAIR: [&str; 6] = [
    "bit x; byte g; active proctype P() { do :: x = 1 - x od } active proctype Q() { g = 1 } ltl served { <> (g == 1) }",
    "bit x; byte g; active proctype P() { do :: x = 1 - x od } active proctype Q() { x == 1; g = 1 } ltl served { <> (g == 1) }",
    "byte g, h; active [2] proctype P() { do :: atomic { g = _pid; h = 5 - h } od } ltl all { []<> (g == 1) }",
    "chan c = [0] of { bit }; byte g; active proctype P() { do :: c!1 od } active proctype Q() { bit b; do :: c?b -> g = 1 - g od }
     active proctype R() { do :: skip od } ltl moves { []<> (g == 1) }",
    "byte g; proctype Late() { g = 1 } active proctype P() { run Late(); do :: skip od } ltl late { <> (g == 1) }",
    "byte t; active [2] proctype P() { do :: t == _pid -> t = 1 - _pid od } active proctype W() { do :: skip od }
     ltl turns { []<> (t == 1) }",
];

#[test]
fn models_that_need_fairness() {
    let (mut held, mut violated) = (0, 0);
    for text in FAIR {
        let model = Model::from_source(text).unwrap_or_else(|e| panic!("{e}: {text}"));
        let (good, bad) = compare(&model, text).expect("small");
        held += good;
        violated += bad;
        // Without fairness there is always a run that violates it.
        let unfair = Options {
            fairness: FairnessOptions::default(),
            ..options(Some(Store::Compact), 1 << 27)
        };
        assert!(
            verdicts(&model, &unfair)
                .iter()
                .any(|(_, word)| *word == Word::Violated),
            "{text}"
        );
    }
    assert!(
        held > 0 && violated > 0,
        "{held} hold, {violated} are violated"
    );
}

#[test]
fn reports_say_how_it_was_done() {
    let dir = Dir::with_model("fair_lossy", FAIR[0]);
    let check = |more: &str| {
        let words = format!("check m.pml --no-trail --claim served --store compact {more}");
        dir.ample(&words.split_whitespace().collect::<Vec<_>>())
    };
    let run = check("--fairness weak").exits(3);
    assert!(run.out.contains("unfolded into rounds"), "{run:?}");
    check("--fairness weak --accept-probabilistic").exits(0);
    check("").exits(1);
    let run = check("--fairness strong").exits(2);
    assert!(
        run.err
            .contains("use --store exact or compressed, or weak fairness"),
        "{run:?}"
    );
    let bits =
        "check m.pml --no-trail --claim served --swarm 3 --fairness weak --accept-probabilistic";
    dir.ample(&bits.split_whitespace().collect::<Vec<_>>())
        .exits(0);
}
