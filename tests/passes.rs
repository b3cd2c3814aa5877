//! Passes never change what is found: every model is searched as written and after each choice of passes, in each order
//! of search, with and without reduction, and what is found must be the same, in no more states. Every counterexample
//! must be a run of the model as written.

use ample::check::{Refuted, confirm};
use ample::internals::fairness::Fairness;
use ample::internals::limits::{Limits, Unwatched};
use ample::internals::machine::Move;
use ample::internals::property::{Property, StateCondition};
use ample::internals::reduce::obstacle;
use ample::internals::search::{End, Event, Found, Settings, Strategy, search, search_cycles};
use ample::internals::space::{Labels, Product, ProductMove, Space, Stepping, System};
use ample::internals::trace::{Ending, Rest, expand, replay};
use promela_lite::code::Code;
use promela_lite::opt::Passes;
use promela_lite::program::Program;
use promela_lite::{FsLoader, Input, Loader, MemoryLoader, verify};
use promela_random as random;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const CHOICES: [Passes; 6] = [
    Passes {
        merge: true,
        ..Passes::NONE
    },
    Passes {
        dead_variables: true,
        ..Passes::NONE
    },
    Passes {
        slice: true,
        ..Passes::NONE
    },
    Passes {
        slice: true,
        merge: true,
        ..Passes::NONE
    },
    Passes::ALL,
    // Last: the figures are about these two.
    Passes {
        slice: false,
        ..Passes::ALL
    },
];

const STRATEGIES: [Strategy; 3] = [Strategy::Dfs, Strategy::StrictDfs, Strategy::Bfs];

/// Calls of procedures are followed as deep.
const DEPTH: u32 = 3;

/// Searches that visit more states than this show nothing.
const MAX_STATES: u64 = 60_000;

fn settings() -> Settings {
    Settings {
        all_errors: true,
        limits: Limits {
            states: MAX_STATES,
            ..Limits::default()
        },
        ..Settings::default()
    }
}

fn read(name: &str, loader: &mut dyn Loader) -> Option<Arc<Program>> {
    let compiled = promela_lite::compile(Path::new(name), &Input::default(), loader);
    let program = promela_lite::expand_calls::expand(&compiled.program?, DEPTH);
    program.ok().map(Arc::new)
}

fn read_text(text: &str) -> Arc<Program> {
    let mut loader = MemoryLoader::default().with("m", text);
    read("m", &mut loader).expect("a valid model")
}

/// A program after passes for a property that reads these conditions.
fn after(program: &Arc<Program>, passes: Passes, conditions: &[StateCondition]) -> Arc<Program> {
    let mut changed = Program::clone(program);
    let conditions: Vec<Code> = conditions.iter().map(|c| c.code).collect();
    passes.apply(&mut changed, &conditions);
    assert_eq!(verify::verify(&changed), vec![]);
    Arc::new(changed)
}

/// All that a search for assertions and end states found, and how many states it took.
type Findings = (BTreeSet<String>, u64);

fn safety(
    plain: &Arc<Program>,
    searched: &Arc<Program>,
    strategy: Strategy,
    reduced: bool,
) -> Option<Findings> {
    let program = Arc::clone(searched);
    let mut system = match reduced {
        true => System::reduced(program),
        false => System::new(program),
    };
    let outcome = search(strategy, &mut system, &settings(), &mut Unwatched);
    if !matches!(outcome.end, End::Complete(_)) {
        return None;
    }
    let mut findings = BTreeSet::new();
    for found in outcome.found {
        let found = expand(searched, plain, found, &[]);
        let name = match &found.event {
            Event::Fault(fault) => format!("{:?} {:?}", fault.kind, fault.span),
            event => format!("{event:?} {:?}", places(plain, &found.path)),
        };
        check_ending(plain, &found);
        findings.insert(name);
    }
    Some((findings, outcome.stats.stored))
}

/// Where all processes are at the end of a run.
fn places(plain: &Arc<Program>, path: &[Move]) -> BTreeSet<(u16, u32)> {
    let mut system = System::new(Arc::clone(plain));
    let mut last = Vec::new();
    system.initial(&mut last).expect("an initial state");
    replay(plain, path, &mut |moment| {
        last = moment.after.unwrap_or_default().to_vec();
    })
    .expect("the run is possible");
    let view = system.machine().view(&last);
    let stuck = view.processes().filter(|p| !p.location().end);
    stuck.map(|p| (p.proctype_id().0, p.loc().0)).collect()
}

fn check_ending(plain: &Arc<Program>, found: &Found<Move>) {
    let ending = replay(plain, &found.path, &mut |_| {}).expect("the run is possible");
    let same = match (&found.event, &ending) {
        (
            Event::InvalidEnd,
            Ending {
                rest: Rest::InvalidEnd,
                ..
            },
        ) => true,
        (Event::Fault(a), Ending { fault: Some(b), .. }) => a == b,
        _ => false,
    };
    assert!(same, "{:?} became {ending:?}", found.event);
}

fn of_program(found: Found<ProductMove>) -> Found<Move> {
    let own = |path: &[ProductMove]| path.iter().filter_map(|m| m.program).collect::<Vec<_>>();
    let event = match found.event {
        Event::Cycle { start } => Event::Cycle {
            start: own(&found.path[..start]).len(),
        },
        other => other,
    };
    Found {
        event,
        path: own(&found.path),
    }
}

/// Whether a property is violated; none if that cannot be told within bounds.
fn violated(
    plain: &Arc<Program>,
    searched: &Arc<Program>,
    property: &Property,
    reduced: bool,
) -> Option<bool> {
    let mut product = Product::new(searched, property, Stepping::Changes, reduced);
    let bounded = Settings {
        all_errors: false,
        ..settings()
    };
    let outcome = search_cycles(&mut product, &bounded, &mut Unwatched);
    if matches!(outcome.end, End::Stopped(_)) {
        return None;
    }
    if let Some(found) = outcome.found.into_iter().next() {
        let found = expand(searched, plain, of_program(found), &property.atoms);
        let judged = confirm(
            plain,
            Refuted::Property(property),
            &Fairness::default(),
            found,
        );
        assert!(judged.is_ok(), "{}: {judged:?}", property.name);
        return Some(true);
    }
    Some(false)
}

fn accepts(plain: &Arc<Program>, searched: &Arc<Program>) -> Option<bool> {
    let mut labels = Labels::new(Arc::clone(searched), false);
    let bounded = Settings {
        all_errors: false,
        end_states: false,
        ..settings()
    };
    let outcome = search_cycles(&mut labels, &bounded, &mut Unwatched);
    if matches!(outcome.end, End::Stopped(_)) {
        return None;
    }
    if let Some(found) = outcome.found.into_iter().next() {
        let found = expand(searched, plain, found, &[]);
        let judged = confirm(plain, Refuted::Acceptance, &Fairness::default(), found);
        assert!(judged.is_ok(), "{judged:?}");
        return Some(true);
    }
    Some(false)
}

/// Compares everything; gives the states as written and after merging and dead-variable reset, if the model is small enough.
fn compare(name: &str, plain: &Arc<Program>) -> Option<(u64, u64)> {
    let (wanted, states) = safety(plain, plain, Strategy::Dfs, false)?;
    let reducible = obstacle(plain).is_none();
    let mut fewest = states;
    for passes in CHOICES {
        let searched = after(plain, passes, &[]);
        for strategy in STRATEGIES {
            let (found, count) = safety(plain, &searched, strategy, false)?;
            assert_eq!(found, wanted, "{name}: {passes:?} {strategy:?}");
            assert!(count <= states, "{name}: {passes:?}: {count} > {states}");
            fewest = count;
        }
        if reducible {
            let (found, _) = safety(plain, &searched, Strategy::Dfs, true)?;
            assert_eq!(found, wanted, "{name}: {passes:?} with reduction");
        }
        for ltl in &plain.ltl {
            let Ok(property) = Property::ltl(plain, ltl) else {
                continue;
            };
            if !property.stutter_invariant {
                continue;
            }
            let wanted = violated(plain, plain, &property, false);
            let searched = after(plain, passes, &property.atoms);
            for reduced in [false, true] {
                if reduced && !reducible {
                    continue;
                }
                let found = violated(plain, &searched, &property, reduced);
                assert!(
                    found == wanted || wanted.is_none(),
                    "{name}: {}: {passes:?}, reduced: {reduced}: {found:?} for {wanted:?}",
                    ltl.name
                );
            }
        }
        if Labels::any(plain) {
            let (wanted, found) = (accepts(plain, plain), accepts(plain, &searched));
            assert!(
                found == wanted || wanted.is_none(),
                "{name}: {passes:?}: acceptance"
            );
        }
    }
    Some((states, fewest))
}

/// How many random models: a slice, unless told otherwise.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first = number("PASSES_FIRST").unwrap_or(0);
    first..first + number("PASSES_MODELS").unwrap_or(120)
}

#[test]
fn random_models_are_found_the_same() {
    let (mut compared, mut before, mut fewer) = (0, 0, 0);
    for seed in seeds() {
        let text = random::swarm(seed).with_ltl();
        if let Some((states, fewest)) = compare(&format!("seed {seed}"), &read_text(&text)) {
            compared += 1;
            before += states;
            fewer += fewest;
        }
    }
    println!("{compared} models: {before} states, {fewer} after passes");
    assert!(fewer < before, "the passes do something");
}

#[test]
fn examples_are_found_the_same() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "pml") {
            continue;
        }
        let name = path.display().to_string();
        let program = read(&name, &mut FsLoader).expect("a valid model");
        if let Some((states, fewest)) = compare(&name, &program) {
            println!("{name}: {states} states, {fewest} after passes");
            compared += 1;
        }
    }
    assert!(compared > 5, "only {compared} examples are small enough");
}

/// What a pass must not do, each with the number of states as written and after merging and dead-variable reset.
#[test]
fn cases() {
    for (what, text, states, fewest) in CASES {
        let plain = read_text(text);
        let figures = compare(what, &plain);
        assert_eq!(figures, Some((*states, *fewest)), "{what}");
    }
}

const CASES: &[(&str, &str, u64, u64)] = &[
    (
        "whether a rendezvous is possible decides about else",
        "chan c = [0] of { byte }; byte x;
        active proctype r() { byte i; x = 1; i = 2; c?i }
        active proctype p() { x == 1; if :: c!1 :: else -> assert(false) fi }",
        14,
        14,
    ),
    (
        "whether a rendezvous is possible decides about control",
        "chan c = [0] of { byte }; byte x, y;
        active proctype r() { byte i; y = 1; i = 2; atomic { c?i; assert(i == x) } }
        active proctype q() { x = 1 }
        active proctype p() { byte z; y == 1; atomic { z = x; c!z } }",
        25,
        22,
    ),
    (
        "a step to a place that a property names is not quiet",
        "byte x; active proctype p() { byte i; x = 1; i = 1; L: x = 2 }
        ltl never_between { [] !(x == 1 && !(p@L)) }",
        5,
        5,
    ),
    (
        "a variable that a property reads is not dead",
        "byte x; active proctype p() { byte i; i = 3; x = 1; x = 2; end: x == 0 }
        ltl stays { [] (x == 2 -> p:i == 3) }",
        4,
        4,
    ),
    (
        "a variable that a property reads is not written quietly",
        "byte x; active proctype p() { byte i; x = 1; i = 3; i = 4; x = 2; end: x == 0 }
        ltl passes_through { [] !(p:i == 3) }",
        5,
        5,
    ),
    (
        "a dead variable differs in the first round of a cycle",
        "bit x; active proctype p() { byte i = 7; do :: i = 5; x = i; x = 0 od }
        ltl settles { <> [] (x == 0) }",
        4,
        3,
    ),
    (
        "a sender waits for the receiver to give up control",
        "chan c = [0] of { byte }; byte g;
        active proctype s() { byte i; c!1; i = 3; assert(g != i + 5) }
        active proctype r() { byte j; atomic { c?j; g = 7; j = 0; g = 8 } }",
        8,
        6,
    ),
    (
        "what comes behind a failed assertion is not part of its trail",
        "byte x; active [2] proctype p() { byte i; assert(x == 0); i = 1; x = i; i = 2; x = i }",
        49,
        24,
    ),
    (
        "an atomic sequence begins in a state",
        "byte x; active [2] proctype p() { byte i; i = 1; atomic { i = 2; x = x + i; assert(x < 4) } }",
        13,
        13,
    ),
    (
        "a circle of quiet steps",
        "byte x; active proctype p() { byte i; x = 1; do :: i = 1; i = 2 od }
        ltl stays { <> [] (x == 1) }",
        4,
        2,
    ),
];
