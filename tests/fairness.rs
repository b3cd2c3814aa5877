//! Fairness, decided exactly.
//!
//! Textbook cases with their verdicts; and random models, compared with a twin that knows nothing of components: the
//! formula "the run is fair, therefore the property holds", fairness being written in the logic with `enabled` and `_last`,
//! searched plainly. Every cycle found is executed again and must be fair to every process.
//!
//! `AMPLE_MODELS=2000 AMPLE_SEED=100000 cargo test --release --test fairness` for more.

mod support;

use ample::internals::fairness::{Fairness, FairnessKind};
use promela_lite::opt::Passes;
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

fn plain(model: &str, formula: &str) -> Arc<Program> {
    program(&format!("{model}\nltl p {{ {formula} }}\n"))
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
    /// Where fairness makes a difference.
    because: u32,
}

fn compare(model: &str, formula: &str, about: &str, tally: &mut Tally) {
    // Who moves in a rendezvous, `_last` cannot say; `enabled` does not look at `provided`.
    let unsaid = model.contains("= [0]") || model.contains("provided");
    if unsaid || !model.contains("do") {
        return;
    }
    let processes = model.matches("active proctype").count();
    for kind in [FairnessKind::Weak, FairnessKind::Strong] {
        if kind == FairnessKind::Strong && processes > 3 {
            continue;
        }
        let fair = written(kind, processes);
        let text =
            format!("{model}\nltl p {{ {formula} }}\nltl twin {{ ({fair}) -> ({formula}) }}\n");
        let program = program(&text);
        let about = format!("{about}, {kind:?}\n{text}");
        let all = Fairness::all(&program, FairnessKind::None);
        let fairness = Fairness::all(&program, kind);
        let answer = violated(&program, "p", &fairness, &about);
        let twin = violated(&program, "twin", &all, &about);
        let (Some(answer), Some(twin)) = (answer, twin) else {
            continue;
        };
        assert_eq!(answer, twin, "{about}");
        // The passes make no difference; they need a program that does not ask for `_last`.
        let mut shorter = Program::clone(&plain(model, formula));
        let atoms: Vec<_> = shorter.atoms.iter().map(|atom| atom.code).collect();
        Passes::ALL.apply(&mut shorter, &atoms);
        let shorter = Arc::new(shorter);
        let after = violated(&shorter, "p", &Fairness::all(&shorter, kind), &about);
        assert!(after.is_none_or(|a| a == answer), "with passes: {about}");
        tally.compared += 1;
        tally.violated += u32::from(answer);
        let none = violated(&program, "p", &all, &about);
        tally.because += u32::from(none == Some(!answer));
    }
}

#[test]
fn random_models_agree_with_fairness_written_in_the_logic() {
    let first = number("AMPLE_SEED", 0);
    let count = number("AMPLE_MODELS", 200);
    let (mut races, mut rounds) = (Tally::default(), Tally::default());
    for seed in first..first + count {
        let about = format!("seed {seed}");
        let model = random::races(seed);
        compare(&model.text, &model.formulas[0], &about, &mut races);
        let (model, formulas) = loops::model(seed);
        compare(&model, &formulas[0], &about, &mut rounds);
    }
    println!("races: {races:?}; loops: {rounds:?}");
    assert!(races.because + rounds.because > 0);
    for tally in [races, rounds] {
        assert!(tally.violated > 0 && tally.violated < tally.compared);
    }
}
