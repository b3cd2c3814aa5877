//! Every way to search a model comes to the same verdict as the plainest one.
//!
//! Random models (reproducible: a failure names its seed) are searched plainly, depth first and breadth first, with and
//! without the reduction, by one worker and by several; their formulas by the classic product, by the one that steps on
//! changes, and by that one
//! reduced. Every cycle found is confirmed on the plain machine by the reference semantics.
//!
//! `cargo test --test agreement` looks at a few hundred models of each kind. More:
//! `AMPLE_MODELS=5000 AMPLE_SEED=100000 cargo test --release --test agreement`.

mod support;

use ample::check::Refuted;
use ample::internals::fairness::Fairness;
use ample::internals::limits::Unwatched;
use ample::internals::machine::{FaultKind, Move};
use ample::internals::property::Property;
use ample::internals::reduce::obstacle;
use ample::internals::search::{
    End, Event, Found, Outcome, Settings, Strategy, search, shortest_cycle,
};
use ample::internals::space::{
    Accepting, Labels, Parallel, Product, ProductMove, Stepping, System,
};
use ample::internals::store::StoreKind;
use promela_lite::opt::Passes;
use promela_lite::program::Program;
use promela_random as random;
use std::collections::BTreeSet;
use std::sync::Arc;
use support::models::models;
use support::number;
use support::search::{
    Way, in_every_store, must_refute, program, search_for_cycles, settings, sweep, violated,
};

/// States after which a model is too large to be compared
const MAX_STATES: u64 = 60_000;

/// Numbers of workers.
const TEAMS: [usize; 3] = [2, 3, 4];

/// What a safety search found: kinds of fault by place, and whether there is an invalid end state.
#[derive(Debug, PartialEq, Eq)]
struct Findings {
    assertions: BTreeSet<u32>,
    other_faults: bool,
    invalid_end: bool,
}

/// `None` when the search did not complete.
fn safety(system: &mut System, strategy: Strategy) -> Option<(Findings, u64)> {
    let settings = settings(true, true, MAX_STATES);
    let (found, stored) = in_every_store(settings, |settings| {
        let Outcome { found, end, stats } = search(strategy, system, settings, &mut Unwatched);
        matches!(end, End::Complete(_)).then_some((found, stats.stored))
    })?;
    Some((findings(found), stored))
}

/// The same by several workers, all from the beginning.
fn safety_together(make: &(dyn Fn() -> System + Sync), workers: usize) -> Option<(Findings, u64)> {
    let settings = Settings {
        workers,
        alone: 0,
        store: if workers.is_multiple_of(2) {
            StoreKind::Flat
        } else {
            StoreKind::Tree
        },
        ..settings(true, true, MAX_STATES)
    };
    let Outcome { found, end, stats } = sweep(make, &settings);
    matches!(end, End::Complete(_)).then(|| (findings(found), stats.stored))
}

fn findings(found: Vec<Found<Move>>) -> Findings {
    let mut findings = Findings {
        assertions: BTreeSet::new(),
        other_faults: false,
        invalid_end: false,
    };
    for Found { event, .. } in found {
        match event {
            Event::Fault(fault) if fault.kind == FaultKind::Assertion => {
                findings.assertions.insert(fault.span.lo);
            }
            Event::Fault(_) => findings.other_faults = true,
            Event::InvalidEnd => findings.invalid_end = true,
            Event::Cycle { .. } => unreachable!("nobody looked for cycles"),
        }
    }
    findings
}

fn check_safety(program: &Arc<Program>, about: &str, tally: &mut Tally) -> Option<(u64, u64)> {
    let (plain, states) = safety(&mut System::new(Arc::clone(program)), Strategy::Dfs)?;
    if plain.other_faults {
        // A model error ends the run; what comes first depends on the order.
        return None;
    }
    for strategy in [Strategy::Bfs, Strategy::StrictDfs] {
        let other = safety(&mut System::new(Arc::clone(program)), strategy)?;
        assert_eq!(
            other,
            (
                Findings {
                    assertions: plain.assertions.clone(),
                    ..plain
                },
                states
            ),
            "{strategy:?}: {about}"
        );
    }
    for workers in TEAMS {
        let (found, stored) = safety_together(&|| System::new(Arc::clone(program)), workers)?;
        assert_eq!((&found, stored), (&plain, states), "{workers}: {about}");
    }
    if obstacle(program).is_some() {
        return Some((states, states));
    }
    for workers in TEAMS {
        let make = || System::reduced(Arc::clone(program));
        let (found, stored) = safety_together(&make, workers)?;
        assert_eq!(found, plain, "reduced, {workers}: {about}");
        assert!(stored <= states, "reduced, {workers}: {about}");
        tally.reduced_together += u32::from(stored < states);
    }
    for workers in TEAMS {
        let make = || System::reduced(Arc::clone(program)).with_stubborn();
        let (found, _) = safety_together(&make, workers)?;
        assert_eq!(found, plain, "stubborn, {workers}: {about}");
    }
    let mut least = states;
    for (strategy, stubborn) in [
        (Strategy::Dfs, false),
        (Strategy::Bfs, false),
        (Strategy::Dfs, true),
        (Strategy::Bfs, true),
    ] {
        let mut reduced = System::reduced(Arc::clone(program));
        if stubborn {
            reduced = reduced.with_stubborn();
        }
        let (found, fewer) = safety(&mut reduced, strategy)?;
        let how = format!("reduced, {strategy:?}, stubborn: {stubborn}");
        assert_eq!(found, plain, "{how}: {about}");
        assert!(fewer <= states, "{how} added states: {about}");
        match stubborn {
            true => tally.stubborn += u32::from(fewer < least),
            false => least = least.min(fewer),
        }
    }
    Some((states, least))
}

/// Whether there is an accepting cycle, and one if so, by a number of workers; `None` when the search did not complete.
fn cycles<P: Accepting + Parallel>(
    make: &(dyn Fn() -> P + Sync),
    workers: usize,
) -> Option<Option<Found<P::Move>>>
where
    P::Move: Send,
{
    let settings = Settings {
        workers,
        alone: 0,
        ..settings(false, false, MAX_STATES)
    };
    let look = |settings: &Settings| {
        let Outcome { found, end, .. } = search_for_cycles(make, settings);
        match (found.into_iter().next(), end) {
            (Some(found), _) => Some(Some(found)),
            (None, End::Complete(_)) => Some(None),
            (None, _) => None,
        }
    };
    match workers {
        1 => in_every_store(settings, look),
        _ => look(&settings),
    }
}

fn of_program(found: &Found<ProductMove>, start: usize) -> (Vec<Move>, usize) {
    let before = found.path[..start]
        .iter()
        .filter(|m| m.program.is_some())
        .count();
    (
        found.path.iter().filter_map(|m| m.program).collect(),
        before,
    )
}

fn confirmed(program: &Arc<Program>, property: &Property, lasso: (Vec<Move>, usize), about: &str) {
    let about = format!("{}: {about}", property.name);
    let refuted = Refuted::Property(property);
    must_refute(program, refuted, &Fairness::default(), lasso, &about);
}

fn check_property(program: &Arc<Program>, property: &Property, about: &str) -> Option<bool> {
    let mut verdicts = Vec::new();
    let mut variants = vec![("classic", Stepping::EveryState, false)];
    if property.stutter_invariant {
        variants.push(("changes", Stepping::Changes, false));
        if obstacle(program).is_none() {
            variants.push(("reduced", Stepping::Changes, true));
            variants.push(("stubborn", Stepping::Changes, true));
        }
    }
    let variants = variants.into_iter();
    let variants = variants.flat_map(|v| [1].into_iter().chain(TEAMS).map(move |w| (v, w)));
    for ((name, stepping, reduce), workers) in variants {
        let make = || {
            let product = Product::new(program, property, stepping, reduce);
            match name {
                "stubborn" => product.with_stubborn(),
                _ => product,
            }
        };
        let name = format!("{name} by {workers}");
        let found = cycles(&make, workers)?;
        if let Some(found) = &found {
            match found.event {
                Event::Cycle { start } => {
                    let lasso = of_program(found, start);
                    confirmed(program, property, lasso, &format!("{name}, {about}"));
                    let mut product = Product::new(program, property, stepping, false);
                    let most = 2 * found.path.len() + 4;
                    // None where that would take too long.
                    if let Some(short) = shortest_cycle(&mut product, most, 5_000, &mut Unwatched)
                        && let Event::Cycle { start } = short.event
                    {
                        let short = of_program(&short, start);
                        confirmed(program, property, short, &format!("short, {about}"));
                    }
                }
                ref other => panic!("{name}: {other:?}\n{about}"),
            }
        }
        verdicts.push((name, found.is_some()));
    }
    let violated = verdicts[0].1;
    assert!(
        verdicts.iter().all(|v| v.1 == violated),
        "{}: {verdicts:?}\n{about}",
        property.name
    );
    Some(violated)
}

fn check_acceptance(program: &Arc<Program>, about: &str) -> Option<bool> {
    let make = || Labels::new(Arc::clone(program), false);
    let found = cycles(&make, 1)?;
    let plain = found.is_some();
    if let Some(found) = found
        && let Event::Cycle { start } = found.event
    {
        let lasso = (found.path, start);
        must_refute(
            program,
            Refuted::Acceptance,
            &Fairness::default(),
            lasso,
            about,
        );
    }
    for workers in [1].into_iter().chain(TEAMS) {
        assert_eq!(
            cycles(&make, workers)?.is_some(),
            plain,
            "{workers}: {about}"
        );
        if obstacle(program).is_none() {
            let make = || Labels::new(Arc::clone(program), true);
            let reduced = cycles(&make, workers)?.is_some();
            assert_eq!(reduced, plain, "accept labels, {workers}: {about}");
            let make = || Labels::new(Arc::clone(program), true).with_stubborn();
            let reduced = cycles(&make, workers)?.is_some();
            assert_eq!(
                reduced, plain,
                "accept labels, stubborn, {workers}: {about}"
            );
        }
    }
    Some(plain)
}

#[derive(Debug, Default)]
struct Tally {
    models: u32,
    passed_over: u32,
    reduced: u32,
    /// Searches that stubborn sets made smaller than all others.
    stubborn: u32,
    /// Searches by several workers.
    reduced_together: u32,
    properties: u32,
    violated: u32,
}

fn check(text: &str, name: &str, tally: &mut Tally) {
    let about = format!("{name}\n{text}");
    let program = program(text);
    tally.models += 1;
    let Some((states, reduced)) = check_safety(&program, &about, tally) else {
        tally.passed_over += 1;
        return;
    };
    tally.reduced += u32::from(reduced < states);
    let mut verdicts: Vec<Option<bool>> = Vec::new();
    for property in &program.ltl {
        match Property::ltl(&program, property) {
            Ok(property) => verdicts.push(check_property(&program, &property, &about)),
            Err(unsupported) => panic!("{}: {about}", unsupported.0),
        }
    }
    if Labels::any(&program) {
        verdicts.push(check_acceptance(&program, &about));
    }
    tally.properties += verdicts.iter().flatten().count() as u32;
    tally.violated += verdicts.iter().flatten().filter(|v| **v).count() as u32;
}

/// Random models that once told a fault.
#[test]
fn models_that_once_disagreed() {
    for case in models("agreement") {
        check(&case.text, &case.name, &mut Tally::default());
    }
}

#[test]
fn all_ways_to_search_agree_on_random_models() {
    let first = number("AMPLE_SEED", 0);
    let count = number(
        "AMPLE_MODELS",
        if cfg!(debug_assertions) { 150 } else { 1500 },
    );
    let mut tally = Tally::default();
    for seed in first..first + count {
        let text = random::swarm(seed).with_ltl();
        check(&text, &format!("seed {seed}"), &mut tally);
    }
    println!("{tally:?}");
    assert!(
        tally.properties > 0 && tally.violated > 0 && tally.violated < tally.properties,
        "{tally:?}"
    );
    assert!(
        tally.reduced * 5 > tally.models
            && tally.reduced_together * 3 > tally.models
            && tally.stubborn > 0,
        "hardly anything is reduced: {tally:?}"
    );
}

/// Models in which it nearly always matters who goes first.
#[test]
fn all_ways_to_search_agree_on_races() {
    agree_on(random::races);
}

/// The same with processes that start each other, and that end.
#[test]
fn all_ways_to_search_agree_on_starts() {
    agree_on(random::starts);
}

/// The same with processes that make channels and hand them to those that they start.
#[test]
fn all_ways_to_search_agree_on_makers() {
    agree_on(random::makers);
}

/// The same with an automaton that watches the channels.
#[test]
fn all_ways_to_search_agree_on_traces() {
    agree_on(random::traces);
}

fn agree_on(model: fn(u64) -> random::RandomModel) {
    let first = number("AMPLE_SEED", 0);
    let count = number(
        "AMPLE_MODELS",
        if cfg!(debug_assertions) { 1000 } else { 20_000 },
    );
    let (mut pairs, mut bad) = (0, 0);
    for seed in first..first + count {
        let text = model(seed).with_ltl();
        let program = program(&text);
        let properties = program.ltl.iter().map(|l| l.name.as_str());
        for what in ["safety"].into_iter().chain(properties) {
            let Some((plain, _)) = violated(&program, what, Way::Plain) else {
                continue;
            };
            for way in Way::OTHERS {
                let answer = violated(&program, what, way);
                let agrees = answer.is_none_or(|(v, _)| v == plain);
                assert!(agrees, "seed {seed}, {what}, {way:?}\n{text}");
            }
            pairs += 1;
            bad += u32::from(plain);
        }
    }
    println!("{pairs} pairs, {bad} violated");
    assert!(bad * 5 > pairs && bad < pairs, "{bad} of {pairs}");
}

/// Whether an expression is evaluated where it has no value, and whether anything at all goes wrong, in every way to search;
/// `None` when a search does not complete.
fn check_partial(plain: &Arc<Program>, about: &str) -> Option<(bool, bool)> {
    let mut passed = Program::clone(plain);
    Passes::ALL.apply(&mut passed, &[]);
    let mut answer = None;
    for (form, program) in [("as written", plain), ("passed", &Arc::new(passed))] {
        for reduce in [false, true] {
            if reduce && obstacle(program).is_some() {
                continue;
            }
            let make = || match reduce {
                true => System::reduced(Arc::clone(program)),
                false => System::new(Arc::clone(program)),
            };
            let mut found = Vec::new();
            for strategy in [Strategy::Dfs, Strategy::StrictDfs, Strategy::Bfs] {
                found.push(safety(&mut make(), strategy)?.0);
            }
            for workers in TEAMS {
                found.push(safety_together(&make, workers)?.0);
            }
            for Findings {
                other_faults,
                invalid_end,
                assertions,
            } in found
            {
                let bad = other_faults || invalid_end || !assertions.is_empty();
                let due = *answer.get_or_insert((other_faults, bad));
                let about = || format!("{form}, reduced {reduce}: {about}");
                assert_eq!((other_faults, bad), due, "{}", about());
            }
        }
    }
    answer
}

/// Models with expressions that do not always have a value.
#[test]
fn all_ways_to_search_agree_on_partial_expressions() {
    let first = number("AMPLE_SEED", 0);
    let count = number(
        "AMPLE_MODELS",
        if cfg!(debug_assertions) { 150 } else { 3000 },
    );
    let (mut models, mut faults) = (0, 0);
    for seed in first..first + count {
        let text = random::partial(seed).text;
        let about = format!("seed {seed}\n{text}");
        if let Some((fault, _)) = check_partial(&program(&text), &about) {
            models += 1;
            faults += u64::from(fault);
        }
    }
    println!("{models} models, {faults} with faults");
    assert!(models * 2 > count, "{models} of {count}");
    assert!(
        faults * 8 > models && faults < models,
        "{faults} of {models}"
    );
}

/// Claims that count blocks of equal letters: their language does not mind repetitions, their runs do.
#[test]
fn all_ways_to_search_agree_on_awkward_claims() {
    let first = number("AMPLE_SEED", 0);
    let count = number(
        "AMPLE_MODELS",
        if cfg!(debug_assertions) { 150 } else { 5000 },
    );
    let (mut pairs, mut bad) = (0, 0);
    for seed in first..first + count {
        let mut rng = random::Rng::seeded(seed);
        let modulus = rng.within(1, 3);
        let claim = random::Blocks::random(&mut rng).counting(modulus);
        let value = rng.within(1, 2);
        let atoms = ["g0 == 1".to_owned(), format!("g0 == {value}")];
        let never = claim.never([&atoms[0], &atoms[1]]);
        let text = format!("{}\n{never}", random::races(seed).text);
        let program = program(&text);
        let Some((plain, _)) = violated(&program, "never", Way::Plain) else {
            continue;
        };
        for way in [Way::Changes, Way::Reduced, Way::Stubborn] {
            let answer = violated(&program, "never", way);
            let agrees = answer.is_none_or(|(v, _)| v == plain);
            assert!(agrees, "seed {seed}, {way:?}\n{text}");
            pairs += u32::from(way == Way::Reduced && answer.is_some());
        }
        bad += u32::from(plain);
    }
    println!("{pairs} claims searched with reduction, {bad} violated");
    assert!(pairs > 0 && bad > 0);
}
