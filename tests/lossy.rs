//! Lossy searches and swarms against exact ones, on random models.
//!
//! A store of fingerprints of 64 bits loses nothing on models of this size, so everything must be as with the exact store,
//! states included. A store that is far too small loses a lot, and may miss what is there; what it finds must be there.
//!
//! `AMPLE_MODELS=2000 AMPLE_SEED=100000 cargo test --release --test lossy` for more.

mod support;

use ample::check::Refuted;
use ample::internals::fairness::Fairness;
use ample::internals::limits::{Monitor, Stop, Unwatched};
use ample::internals::machine::{FaultKind, Move};
use ample::internals::property::Property;
use ample::internals::reduce::obstacle;
use ample::internals::search::{
    End, Estimate, Event, Found, Lossy, MoveOrder, Outcome, Settings, Strategy, Swarm, search,
    search_cycles, search_cycles_lossy, search_lossy, search_lossy_together,
};
use ample::internals::space::{Product, ProductMove, Stepping, System};
use ample::internals::store::LossyKind;
use ample::internals::trace::{Rest, replay};
use promela_lite::program::Program;
use promela_random as random;
use std::collections::BTreeSet;
use std::sync::Arc;
use support::number;
use support::search::{must_refute, program, settings};

const MAX_STATES: u64 = 20_000;
const ORDERS: [MoveOrder; 4] = [
    MoveOrder::Listed,
    MoveOrder::Reversed,
    MoveOrder::Rotated(1),
    MoveOrder::Shuffled(5),
];
const TINY: LossyKind = LossyKind::Bits {
    bytes: 24,
    hashes: 2,
    seed: 3,
};

fn models() -> impl Iterator<Item = (u64, String)> {
    let first = number("AMPLE_SEED", 0);
    let usual = if cfg!(debug_assertions) { 100 } else { 600 };
    let seeds = first..first + number("AMPLE_MODELS", usual);
    seeds.map(|seed| (seed, random::swarm(seed).with_ltl()))
}

/// What was found, by kind and place; `None` for models that err, whose runs end at the first error met.
fn findings<M>(found: &[Found<M>]) -> Option<BTreeSet<u32>> {
    let one = |found: &Found<M>| match &found.event {
        Event::Fault(fault) if fault.kind == FaultKind::Assertion => Some(fault.span.lo),
        Event::Fault(_) => None,
        Event::InvalidEnd => Some(u32::MAX),
        Event::Cycle { .. } => Some(u32::MAX - 1),
    };
    found.iter().map(one).collect()
}

fn system(program: &Arc<Program>, reduce: bool) -> System {
    match reduce {
        true => System::reduced(Arc::clone(program)),
        false => System::new(Arc::clone(program)),
    }
}

/// Executes a path again; it must end as it is said to.
fn replayed(program: &Arc<Program>, found: &Found<Move>, about: &str) {
    let Ok(ending) = replay(program, &found.path, &mut |_| {}) else {
        panic!("a path that cannot be executed: {about}")
    };
    match &found.event {
        Event::InvalidEnd => assert_eq!(ending.rest, Rest::InvalidEnd, "{about}"),
        Event::Fault(fault) => {
            let span = ending.fault.map(|f| f.span);
            assert_eq!(span, Some(fault.span), "{about}");
        }
        Event::Cycle { .. } => panic!("nobody looked for cycles: {about}"),
    }
}

#[test]
fn safety_searches_agree() {
    let (mut compared, mut violated, mut missed) = (0, 0, 0);
    for (seed, text) in models() {
        let about = format!("seed {seed}\n{text}");
        let program = program(&text);
        let asked = settings(true, true, MAX_STATES);
        let exact = search(
            Strategy::Dfs,
            &mut system(&program, false),
            &asked,
            &mut Unwatched,
        );
        let Some(expected) = findings(&exact.found) else {
            continue;
        };
        if !matches!(exact.end, End::Complete(_)) {
            continue;
        }
        compared += 1;
        violated += u32::from(!expected.is_empty());
        for (index, order) in ORDERS.into_iter().enumerate() {
            for reduce in [false, true] {
                if reduce && obstacle(&program).is_some() {
                    continue;
                }
                let run = |store| {
                    let mut system = system(&program, reduce);
                    let lossy = Lossy { store, order };
                    search_lossy(&mut system, &asked, &lossy, &mut Unwatched)
                };
                let (outcome, estimate) = run(LossyKind::Compact);
                let what = format!("{order:?}, reduced: {reduce}, {about}");
                assert_eq!(findings(&outcome.found), Some(expected.clone()), "{what}");
                assert!(matches!(outcome.end, End::Stopped(Stop::Lossy)), "{what}");
                assert!(estimate.loss.probability() < 1e-9, "{what}");
                let (ours, theirs) = (&outcome.stats, &exact.stats);
                if reduce {
                    assert!(ours.stored <= theirs.stored, "{what}");
                } else {
                    assert_eq!(ours.stored, theirs.stored, "{what}");
                    assert_eq!(ours.matched, theirs.matched, "{what}");
                    assert_eq!(ours.atomic_steps, theirs.atomic_steps, "{what}");
                }
                let (outcome, _) = run(TINY);
                let found = findings(&outcome.found).unwrap_or_default();
                assert!(found.is_subset(&expected), "{what}");
                assert!(outcome.stats.stored <= theirs.stored, "{what}");
                missed += u32::from(found.len() < expected.len());
                if index == 0 {
                    for found in &outcome.found {
                        replayed(&program, found, &what);
                    }
                }
            }
        }
    }
    println!("{compared} models, {violated} with violations, {missed} times some were missed");
    assert!(compared > 20 && violated > 5 && missed > 5);
}

/// Searches without a reduction by that many workers, which are all there from the beginning.
fn by(
    workers: usize,
    program: &Arc<Program>,
    asked: &Settings,
    store: LossyKind,
) -> (Outcome<Move>, Estimate) {
    let asked = Settings {
        workers,
        alone: 2,
        ..asked.clone()
    };
    let lossy = Lossy {
        store,
        order: MoveOrder::Listed,
    };
    let make = || system(program, false);
    search_lossy_together(&mut make(), &make, &asked, &lossy, &mut Unwatched)
}

/// Several workers find what one finds, on ways that can be executed; and every state is new to one of them.
#[test]
fn workers_agree() {
    let (mut compared, mut violated) = (0, 0);
    for (seed, text) in models() {
        let program = program(&text);
        let asked = settings(true, true, MAX_STATES);
        let exact = search(
            Strategy::Dfs,
            &mut system(&program, false),
            &asked,
            &mut Unwatched,
        );
        let (Some(expected), End::Complete(_)) = (findings(&exact.found), &exact.end) else {
            continue;
        };
        compared += 1;
        violated += u32::from(!expected.is_empty());
        for workers in [1, 2, 4] {
            let what = format!("{workers} workers, seed {seed}\n{text}");
            let (outcome, estimate) = by(workers, &program, &asked, LossyKind::Compact);
            assert_eq!(findings(&outcome.found), Some(expected.clone()), "{what}");
            assert!(matches!(outcome.end, End::Stopped(Stop::Lossy)), "{what}");
            let (ours, theirs) = (&outcome.stats, &exact.stats);
            assert_eq!(ours.stored, theirs.stored, "{what}");
            assert_eq!(ours.matched, theirs.matched, "{what}");
            assert_eq!(ours.atomic_steps, theirs.atomic_steps, "{what}");
            assert_eq!(ours.errors, theirs.errors, "{what}");
            assert_eq!(estimate.loss.states, theirs.stored, "{what}");
            let (tiny, _) = by(workers, &program, &asked, TINY);
            let found = findings(&tiny.found).unwrap_or_default();
            assert!(found.is_subset(&expected), "{what}");
            assert!(tiny.stats.stored <= theirs.stored, "{what}");
            for found in outcome.found.iter().chain(&tiny.found) {
                replayed(&program, found, &what);
            }
            let first = settings(false, true, MAX_STATES);
            let (outcome, _) = by(workers, &program, &first, LossyKind::Compact);
            assert_eq!(outcome.found.is_empty(), expected.is_empty(), "{what}");
        }
    }
    println!("{compared} models, {violated} with violations");
    assert!(compared > 20 && violated > 5);
}

/// Work changes hands all the time where there is a lot of it; limits are kept by all together.
#[test]
fn workers_share_a_large_search() {
    let text = "byte x[3]; active [3] proctype P() { do :: x[_pid] < 40 -> x[_pid]++ :: atomic { x[_pid] > 20 -> \
                x[_pid] = 0; x[(_pid + 1) % 3] = 0 } :: x[0] + x[1] + x[2] == 119 -> assert(false) od }";
    let program = program(text);
    let asked = settings(true, true, u64::MAX);
    let (one, _) = by(1, &program, &asked, LossyKind::Compact);
    assert!(one.stats.stored > 50_000 && one.found.len() == 1);
    for workers in [2, 4] {
        let (several, estimate) = by(workers, &program, &asked, LossyKind::Compact);
        assert_eq!(several.stats.stored, one.stats.stored);
        assert_eq!(several.stats.matched, one.stats.matched);
        assert!(estimate.visited.count().abs_diff(one.stats.stored) * 20 < one.stats.stored);
        assert_eq!(findings(&several.found), findings(&one.found));
        for found in &several.found {
            replayed(&program, found, "a large search");
        }
        let (few, _) = by(
            workers,
            &program,
            &settings(true, true, 20_000),
            LossyKind::Compact,
        );
        assert!(matches!(few.end, End::Stopped(Stop::States(20_000))));
        assert!(few.stats.stored < 40_000);
    }
}

fn of_program(found: &Found<ProductMove>, start: usize) -> (Vec<Move>, usize) {
    let of = |moves: &[ProductMove]| moves.iter().filter_map(|m| m.program).collect::<Vec<_>>();
    (of(&found.path), of(&found.path[..start]).len())
}

#[test]
fn searches_for_cycles_agree() {
    let (mut compared, mut violated, mut missed) = (0, 0, 0);
    for (seed, text) in models() {
        let program = program(&text);
        for formula in &program.ltl {
            let about = format!("seed {seed}, {}\n{text}", formula.name);
            let Ok(property) = Property::ltl(&program, formula) else {
                panic!("{about}")
            };
            let asked = settings(false, false, MAX_STATES);
            let plain = search_cycles(
                &mut Product::new(&program, &property, Stepping::EveryState, false),
                &asked,
                &mut Unwatched,
            );
            let Some(expected) = findings(&plain.found) else {
                continue;
            };
            if expected.is_empty() && !matches!(plain.end, End::Complete(_)) {
                continue;
            }
            compared += 1;
            violated += u32::from(!expected.is_empty());
            let mut variants = vec![(Stepping::EveryState, false)];
            if property.stutter_invariant {
                variants.push((Stepping::Changes, false));
                if obstacle(&program).is_none() {
                    variants.push((Stepping::Changes, true));
                }
            }
            for (stepping, reduce) in variants {
                for (index, order) in ORDERS.into_iter().enumerate() {
                    let store = if index % 2 == 0 {
                        LossyKind::Compact
                    } else {
                        TINY
                    };
                    let mut product = Product::new(&program, &property, stepping, reduce);
                    let lossy = Lossy { store, order };
                    let (outcome, _) =
                        search_cycles_lossy(&mut product, &asked, &lossy, &mut Unwatched);
                    let what = format!("{lossy:?}, {stepping:?}, reduced: {reduce}, {about}");
                    match store {
                        // In another order it may come to its limit before it comes to the violation.
                        LossyKind::Compact
                            if matches!(outcome.end, End::Stopped(Stop::States(_))) => {}
                        LossyKind::Compact => {
                            assert_eq!(outcome.found.is_empty(), expected.is_empty(), "{what}");
                        }
                        LossyKind::Bits { .. } => {
                            missed += u32::from(outcome.found.is_empty() && !expected.is_empty());
                        }
                    }
                    for found in &outcome.found {
                        let Event::Cycle { start } = found.event else {
                            panic!("{:?}: {what}", found.event)
                        };
                        let lasso = of_program(found, start);
                        let refuted = Refuted::Property(&property);
                        must_refute(&program, refuted, &Fairness::default(), lasso, &what);
                    }
                }
            }
        }
    }
    println!("{compared} formulas, {violated} violated, {missed} times that was missed");
    assert!(compared > 20 && violated > 5 && missed > 0);
}

fn fly(program: &Arc<Program>, swarm: &Swarm) -> (Option<u32>, Outcome<Move>, u64) {
    let asked = settings(false, true, u64::MAX);
    let monitors = || -> Box<dyn Monitor> { Box::new(Unwatched) };
    let swarm_outcome = swarm.fly(&asked, &monitors, &|member, monitor| {
        let mut system = system(program, false);
        search_lossy(&mut system, &member.settings, &member.lossy, monitor)
    });
    let winner = swarm_outcome.winner.map(|w| w.number);
    (
        winner,
        swarm_outcome.outcome,
        swarm_outcome.estimate.visited.count(),
    )
}

/// Members with arrays far too small see more together than alone, the same each time, on however many threads.
#[test]
fn a_swarm_is_the_same_on_any_number_of_threads() {
    let one = Swarm {
        members: 12,
        threads: 1,
        seed: 9,
        bytes: 24,
        hashes: 2,
    };
    let (mut by_one, mut by_all, mut won) = (0, 0, 0);
    for (seed, text) in models() {
        let program = program(&text);
        let (winner, outcome, visited) = fly(&program, &one);
        let three = Swarm { threads: 3, ..one };
        let (again, other, seen) = fly(&program, &three);
        assert_eq!(
            (winner, &outcome.found, visited),
            (again, &other.found, seen),
            "seed {seed}\n{text}"
        );
        for found in &outcome.found {
            replayed(&program, found, &format!("seed {seed}\n{text}"));
        }
        won += u32::from(winner.is_some_and(|w| w > 0));
        if winner.is_none() {
            let (_, _, alone) = fly(&program, &Swarm { members: 1, ..one });
            by_one += alone;
            by_all += visited;
        }
    }
    println!("{by_one} states by one, {by_all} by all, {won} violations the first one missed");
    assert!(by_all > by_one && won > 0);
}
