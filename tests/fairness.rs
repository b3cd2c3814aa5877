//! Fairness, decided exactly.
//!
//! Textbook cases with their verdicts; and random models, compared with a twin that knows nothing of components: the
//! formula "the run is fair, therefore the property holds", fairness being written in the logic with `enabled` and `_last`,
//! searched plainly. Every cycle found is executed again and must be fair to every process.
//!
//! `AMPLE_MODELS=2000 AMPLE_SEED=100000 cargo test --release --test fairness` for more.

mod support;

use ample::internals::fairness::{Fairness, FairnessKind};
use promela_lite::opt::{Passes, Purpose};
use promela_lite::program::Program;
use promela_random as random;
use std::sync::Arc;
use support::fair::{loops, violated};
use support::models::models;
use support::number;
use support::search::program;

/// The engine alone comes to the verdicts of `tests/models/fairness`, which `tests/models.rs` asks for through the library.
#[test]
fn textbook_cases() {
    for case in models("fairness") {
        let program = program(&case.text);
        for due in &case.facts.expected {
            let fairness = match due.fairness {
                "f" => Fairness::f(),
                "weak" => Fairness::all(&program, FairnessKind::Weak),
                "strong" => Fairness::all(&program, FairnessKind::Strong),
                _ => Fairness::all(&program, FairnessKind::None),
            };
            let answer = violated(&program, &due.goal, &fairness, &case.name);
            assert_eq!(answer, Some(due.violated), "{}, {due:?}", case.name);
        }
    }
}

#[test]
fn each_proctype_has_its_own_fairness() {
    let program = program(
        "bit x; byte g, h; active proctype P() { do :: x = 1 - x od }\n\
         active proctype Q() { x == 1; g = 1 } active proctype R() { h = 1 }\n\
         ltl g { <> (g == 1) } ltl h { <> (h == 1) }\n",
    );
    let id = |name: &str| {
        let index = program.proctypes.iter().position(|p| p.name == name);
        promela_lite::program::ProctypeId(index.expect("a proctype") as u16)
    };
    for (kinds, g, h) in [
        (vec![("Q", FairnessKind::Strong)], false, true),
        (
            vec![("Q", FairnessKind::Weak), ("R", FairnessKind::Weak)],
            true,
            false,
        ),
        (vec![("P", FairnessKind::Strong)], true, true),
        (
            vec![("Q", FairnessKind::Strong), ("R", FairnessKind::Weak)],
            false,
            false,
        ),
    ] {
        let mut fairness = Fairness::all(&program, FairnessKind::None);
        for (name, kind) in &kinds {
            fairness.set(id(name), *kind);
        }
        assert_eq!(
            violated(&program, "g", &fairness, "g"),
            Some(g),
            "{kinds:?}"
        );
        assert_eq!(
            violated(&program, "h", &fairness, "h"),
            Some(h),
            "{kinds:?}"
        );
    }
}

/// Sets of processes have no bound: here the one that waits for fairness is beyond the 64th.
#[test]
fn there_may_be_many_processes() {
    let program = program(
        "bit x; byte g, h; active proctype P() { do :: x = 1 - x od }\n\
         active [70] proctype Waits() { false }\n\
         active proctype Q() { x == 1; g = 1 } active proctype R() { h = 1 }\n\
         ltl g { <> (g == 1) } ltl h { <> (h == 1) }\n",
    );
    let all = |kind| Fairness::all(&program, kind);
    for (fairness, g, h) in [
        (all(FairnessKind::None), true, true),
        (Fairness::f(), true, false),
        (all(FairnessKind::Weak), true, false),
        (all(FairnessKind::Strong), false, false),
    ] {
        let answer = |name| violated(&program, name, &fairness, "many");
        assert_eq!(answer("g"), Some(g), "{}", fairness.name());
        assert_eq!(answer("h"), Some(h), "{}", fairness.name());
    }
}

/// Fairness to `count` processes, written in the logic.
fn written(kind: FairnessKind, count: usize) -> String {
    let one = |p: usize| match kind {
        FairnessKind::None => "true".to_owned(),
        FairnessKind::Weak => format!("([]<> (!enabled({p}) || _last == {p}))"),
        FairnessKind::Strong => format!("(([]<> enabled({p})) -> ([]<> (_last == {p})))"),
    };
    (0..count).map(one).collect::<Vec<_>>().join(" && ")
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    compared: u32,
    violated: u32,
    /// How much was compared with the same after passes.
    passed: u32,
    /// Where fairness makes a difference.
    because: u32,
}

fn compare(model: &str, formula: &str, about: &str, tally: &mut Tally) {
    // `enabled` does not look at `provided`.
    if model.contains("provided") || !model.contains("do") {
        return;
    }
    for kind in [FairnessKind::Weak, FairnessKind::Strong] {
        let plain = program(&format!("{model}\nltl p {{ {formula} }}\n"));
        if kind == FairnessKind::Strong && plain.active.len() > 3 {
            continue;
        }
        let about = format!("{about}, {kind:?}, {formula}\n{model}");
        let fairness = Fairness::all(&plain, kind);
        let Some(answer) = violated(&plain, "p", &fairness, &about) else {
            continue;
        };
        let mut shorter = Program::clone(&plain);
        let atoms: Vec<_> = shorter.atoms.iter().map(|atom| atom.code).collect();
        let purpose = Purpose {
            conditions: &atoms,
            fair: true,
            ..Purpose::default()
        };
        Passes::ALL.apply_for(&mut shorter, purpose);
        let after = violated(&Arc::new(shorter), "p", &fairness, &about);
        assert!(after.is_none_or(|a| a == answer), "with passes: {about}");
        tally.passed += u32::from(after.is_some());
        // Who moves in a rendezvous, `_last` cannot say.
        if !model.contains("= [0]") && !model.contains("run ") {
            let written = written(kind, plain.active.len());
            compare_with_twin(model, formula, &written, answer, &about, tally);
        }
    }
}

/// The same fairness in the logic gives the same answer.
fn compare_with_twin(
    model: &str,
    formula: &str,
    fair: &str,
    answer: bool,
    about: &str,
    tally: &mut Tally,
) {
    let text = format!("{model}\nltl p {{ {formula} }}\nltl twin {{ ({fair}) -> ({formula}) }}\n");
    let program = program(&text);
    let all = Fairness::all(&program, FairnessKind::None);
    let Some(twin) = violated(&program, "twin", &all, about) else {
        return;
    };
    assert_eq!(answer, twin, "{about}");
    tally.compared += 1;
    tally.violated += u32::from(answer);
    let none = violated(&program, "p", &all, about);
    tally.because += u32::from(none == Some(!answer));
}

#[test]
fn random_models_agree_with_fairness_written_in_the_logic() {
    let first = number("AMPLE_SEED", 0);
    let count = number("AMPLE_MODELS", 200);
    let (mut races, mut rounds, mut statistics) = Default::default();
    for seed in first..first + count {
        let about = format!("seed {seed}");
        let model = random::races(seed);
        compare(&model.text, &model.formulas[0], &about, &mut races);
        let model = random::statistics(seed);
        compare(&model.text, &model.formulas[0], &about, &mut statistics);
        let (model, formulas) = loops::model(seed);
        compare(&model, &formulas[0], &about, &mut rounds);
    }
    println!("races: {races:?}; loops: {rounds:?}; statistics: {statistics:?}");
    assert!(statistics.passed > count as u32 / 4);
    assert!(races.because + rounds.because > 0);
    for tally in [races, rounds] {
        assert!(tally.violated > 0 && tally.violated < tally.compared);
    }
}

/// A process that goes round past a rendezvous cannot be met in every state: its partner need not move.
#[cfg(feature = "faults")]
#[test]
fn broken_merging_is_noticed() {
    use ample::check::{FairnessOptions, Model, Options};
    use ample::internals::faults::{Fault, with};
    use ample::internals::verdict::Word;
    let text = include_str!("models/fairness/a_partner_that_goes_round.pml");
    let model = Model::from_source(text).expect("a model");
    let goal = model.goal("taken").expect("a formula");
    let options = Options {
        fairness: FairnessOptions {
            all: FairnessKind::Weak,
            ..FairnessOptions::default()
        },
        ..Options::default()
    };
    let word = || {
        let checked = model.check(&goal, &options).expect("an answer");
        checked.verdict.word()
    };
    assert_eq!(word(), Word::Violated);
    assert_eq!(with(Fault::FairnessForgotten, word), Word::Holds);
}
