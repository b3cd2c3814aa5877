//! Expressions that do not always have a value: a fault counts where SPIN evaluates the expression, and nowhere else.
//!
//! The cases are in `partial/cases.txt`, each beside its mirror. A case is a line with the name, what is found, the number of
//! states of a full search (`-` where the search ends early) and, only where SPIN does not say the same, what SPIN says and
//! why; then the model. Every case is searched in every way there is, and by SPIN.

mod support;

use ample::internals::limits::Unwatched;
use ample::internals::reduce::obstacle;
use ample::internals::search::{Found, Outcome, Settings, Strategy, System, search};
use promela_lite::opt::Passes;
use promela_lite::program::Program;
use std::sync::Arc;
use support::search::{program, settings, sweep, word};
use support::spin::{first_error_of_spin, spin_is_there};

struct Case<'t> {
    name: &'t str,
    finds: &'t str,
    states: Option<u64>,
    /// What SPIN says instead.
    spin: Option<&'t str>,
    model: &'t str,
}

/// All cases, in the order of the file.
fn cases() -> Vec<Case<'static>> {
    let chunks = include_str!("partial/cases.txt").split("=== ").skip(1);
    let case = |chunk: &'static str| {
        let (head, model) = chunk.split_once('\n').expect("a line with the name");
        let mut fields = head.split('|').map(str::trim);
        let mut field = || fields.next();
        Case {
            name: field().expect("a name"),
            finds: field().expect("what is found"),
            states: field().expect("the number of states").parse().ok(),
            spin: field().map(|spin| spin.split_once(" : ").expect("a reason").0),
            model,
        }
    };
    chunks.map(case).collect()
}

/// What a search found first, in a word.
fn first<M>(found: &[Found<M>]) -> &'static str {
    found.first().map_or("holds", |found| word(&found.event))
}

/// What is found in each way to search, with the number of states.
fn in_every_way(plain: &Arc<Program>) -> Vec<(String, &'static str, u64)> {
    let passed = Arc::new({
        let mut program = Program::clone(plain);
        Passes::ALL.apply(&mut program);
        program
    });
    let mut answers = Vec::new();
    for (form, program) in [("as written", plain), ("after the passes", &passed)] {
        for reduced in [false, true] {
            if reduced && obstacle(program).is_some() {
                continue;
            }
            let make = || match reduced {
                false => System::new(Arc::clone(program)),
                true => System::reduced(Arc::clone(program)),
            };
            let settings = settings(false, true, u64::MAX);
            let mut note = |way: &str, outcome: Outcome<_>| {
                let about = format!("{form}, reduced: {reduced}, {way}");
                answers.push((about, first(&outcome.found), outcome.stats.stored));
            };
            for strategy in [Strategy::Dfs, Strategy::StrictDfs, Strategy::Bfs] {
                let outcome = search(strategy, &mut make(), &settings, &mut Unwatched);
                note(&format!("{strategy:?}"), outcome);
            }
            let together = Settings {
                workers: 2,
                alone: 0,
                ..settings
            };
            note("two workers", sweep(&make, &together));
        }
    }
    answers
}

#[test]
fn every_search_finds_what_is_due() {
    let mut wrong = Vec::new();
    for case in cases() {
        let answers = in_every_way(&program(case.model));
        let (_, _, states) = answers[0];
        if case.states.is_some_and(|due| due != states) {
            wrong.push(format!("{}: {states} states", case.name));
        }
        for (way, found, _) in answers {
            if found != case.finds {
                wrong.push(format!("{}: {found}, {way}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A case that holds says how many states there are; each that does not has a case beside it that does, or the other way round.
#[test]
fn every_case_has_its_mirror() {
    let cases = cases();
    assert!(cases.len() > 150, "{} cases", cases.len());
    for case in &cases {
        assert_eq!(
            case.finds == "holds",
            case.states.is_some(),
            "{}",
            case.name
        );
    }
    let faults = cases.iter().filter(|c| c.finds != "holds").count();
    assert!(
        faults * 3 > cases.len() && faults * 3 < cases.len() * 2,
        "{faults}"
    );
}

#[test]
fn spin_says_the_same() {
    if !spin_is_there() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("ample-partial-{}", std::process::id()));
    let mut wrong = Vec::new();
    for case in cases() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let model = folder.join("m.pml");
        std::fs::write(&model, case.model).expect("written");
        let theirs = first_error_of_spin(&model);
        let due = case.spin.unwrap_or(case.finds);
        if theirs.word != due {
            wrong.push(format!("{}: {theirs:?}, not {due}", case.name));
        }
        if due == "holds" && case.finds == "holds" && theirs.states != case.states {
            wrong.push(format!(
                "{}: {theirs:?}, not {:?} states",
                case.name, case.states
            ));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
