//! Both strategies against the most obvious reachability computation, on random toys and on chosen ones.

use super::toy::{Toy, ToyMove, Way};
use super::{End, Event, Outcome, Settings, Strategy, search};
use crate::limits::{Limits, Monitor, Progress, Stop, Unwatched};
use crate::machine::Pid;
use crate::space::{AmpleSets, Space};
use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as Generator;
use std::collections::{BTreeSet, HashSet};

const STRATEGIES: [Strategy; 3] = [Strategy::Dfs, Strategy::StrictDfs, Strategy::Bfs];

fn run(
    strategy: Strategy,
    space: &mut impl AmpleSets<Move = ToyMove>,
    settings: &Settings,
) -> Outcome<ToyMove> {
    search(strategy, space, settings, &mut Unwatched)
}

fn all() -> Settings {
    Settings {
        all_errors: true,
        ..Settings::default()
    }
}

/// A table of ways: entry [state][process].
type Table = Vec<Vec<Vec<(u8, bool, bool)>>>;

fn toy(table: &Table) -> Toy<impl Fn(&[u8], u16) -> Vec<Way> + '_> {
    Toy {
        processes: table[0].len() as u16,
        first: vec![0],
        hidden: 0,
        valid_end: |s| s[0] % 2 == 0,
        ways: move |state: &[u8], pid: u16| {
            let from = state[0];
            table[from as usize][pid as usize]
                .iter()
                .enumerate()
                .map(|(i, &(to, atomic, assertion))| Way {
                    next: vec![to],
                    atomic,
                    assertion: assertion.then_some(from as u32 * 100 + pid as u32 * 10 + i as u32),
                })
                .collect()
        },
    }
}

/// What is reachable, by sets alone: stored states, assertions met, end states met.
fn reference(table: &Table) -> (BTreeSet<u8>, BTreeSet<u32>, BTreeSet<u8>) {
    let (mut stored, mut asserts, mut ends) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut todo: Vec<(u8, Option<usize>)> = vec![(0, None)];
    let mut seen = HashSet::new();
    while let Some((s, control)) = todo.pop() {
        let mine = &table[s as usize];
        let control = control.filter(|&p| !mine[p].is_empty());
        if !seen.insert((s, control)) {
            continue;
        }
        if control.is_none() {
            stored.insert(s);
            if mine.iter().all(Vec::is_empty) && s % 2 == 1 {
                ends.insert(s);
            }
        }
        for (p, ways) in mine
            .iter()
            .enumerate()
            .filter(|(p, _)| control.is_none_or(|c| c == *p))
        {
            for (i, &(to, atomic, assertion)) in ways.iter().enumerate() {
                if assertion {
                    asserts.insert(s as u32 * 100 + p as u32 * 10 + i as u32);
                }
                todo.push((to, atomic.then_some(p)));
            }
        }
    }
    (stored, asserts, ends)
}

/// Follows a path; gives whether the last move failed, and the last state.
fn follow<P: Space<Move = ToyMove>>(space: &mut P, path: &[ToyMove]) -> (bool, Vec<u8>) {
    let (mut state, mut next) = (Vec::new(), Vec::new());
    space.initial(&mut state).unwrap();
    let (mut control, mut failed) = (None, false);
    for &mv in path {
        let mut moves = Vec::new();
        let info = space.moves(&state, control, &mut moves).unwrap();
        assert!(
            moves.contains(&mv),
            "{mv:?} is not possible in {state:?} under {control:?}"
        );
        let applied = space.apply(&state, mv, info.timeout, &mut next);
        failed = applied.is_err();
        let step = applied.unwrap_or_else(|f| f.step.unwrap());
        control = step.control;
        std::mem::swap(&mut state, &mut next);
    }
    (failed, state)
}

fn tables() -> impl Generator<Value = Table> {
    let way = (
        0u8..12,
        prop::bool::weighted(0.4),
        prop::bool::weighted(0.1),
    );
    let ways = prop::collection::vec(way, 0..3);
    prop::collection::vec(prop::collection::vec(ways, 2), 12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn finds_what_is_there(table in tables()) {
        let (stored, asserts, ends) = reference(&table);
        for strategy in STRATEGIES {
            let outcome = run(strategy, &mut toy(&table), &all());
            prop_assert!(matches!(outcome.end, End::Complete(_)));
            prop_assert_eq!(outcome.stats.stored, stored.len() as u64);
            let (mut found_asserts, mut found_ends) = (BTreeSet::new(), BTreeSet::new());
            for found in &outcome.found {
                let (failed, last) = follow(&mut toy(&table), &found.path);
                match &found.event {
                    Event::Fault(fault) => {
                        prop_assert!(failed);
                        prop_assert!(found_asserts.insert(fault.span.lo));
                    }
                    Event::InvalidEnd => {
                        prop_assert!(found_ends.insert(last[0]));
                    }
                    Event::Cycle { .. } => prop_assert!(false, "nobody looked for cycles"),
                }
            }
            prop_assert_eq!(&found_asserts, &asserts);
            prop_assert_eq!(&found_ends, &ends);

            let first = run(strategy, &mut toy(&table), &Settings::default());
            let some = !asserts.is_empty() || !ends.is_empty();
            prop_assert_eq!(matches!(first.end, End::AtViolation), some);
            prop_assert_eq!(first.found.len(), some as usize);
        }
    }
}

/// `n` counters from 0 to `top`, each incremented by a process of its own.
fn counters(n: u16, top: u8, hidden: usize) -> Toy<impl Fn(&[u8], u16) -> Vec<Way>> {
    Toy {
        processes: n,
        first: vec![0; n as usize + hidden],
        hidden,
        valid_end: |_| true,
        ways: move |state: &[u8], pid: u16| {
            let mut next = state.to_vec();
            if state[pid as usize] == top {
                return Vec::new();
            }
            next[pid as usize] += 1;
            next[n as usize..].fill(pid as u8 + 1);
            vec![Way {
                next,
                atomic: false,
                assertion: None,
            }]
        },
    }
}

#[test]
fn counts_a_grid() {
    for strategy in STRATEGIES {
        for hidden in [0, 2] {
            let outcome = run(strategy, &mut counters(3, 9, hidden), &Settings::default());
            assert_eq!(outcome.stats.stored, 1000);
            assert_eq!(outcome.stats.transitions(), 3 * 9 * 100 + 1);
            assert_eq!(outcome.stats.vector_bytes, 3);
            assert!(matches!(outcome.end, End::Complete(_)));
        }
    }
}

#[test]
fn limits_leave_the_search_incomplete() {
    let limit = |limits: Limits| Settings {
        limits,
        ..Settings::default()
    };
    let none = Limits::default();
    for strategy in STRATEGIES {
        for (limits, expected) in [
            (Limits { states: 50, ..none }, Stop::States(50)),
            (Limits { depth: 5, ..none }, Stop::Depth(5)),
            (
                Limits {
                    memory: 40_000,
                    ..none
                },
                Stop::Memory(40_000),
            ),
        ] {
            let outcome = run(strategy, &mut counters(3, 40, 0), &limit(limits));
            assert!(
                matches!(outcome.end, End::Stopped(s) if s == expected),
                "{strategy:?} {limits:?}"
            );
        }
        let outcome = run(
            strategy,
            &mut counters(3, 9, 0),
            &limit(Limits { depth: 27, ..none }),
        );
        assert!(
            matches!(outcome.end, End::Complete(_)),
            "a depth limit that is not reached is no limit"
        );
    }
}

#[test]
fn a_monitor_can_stop_the_search() {
    struct Impatient;
    impl Monitor for Impatient {
        fn tick(&mut self, progress: &Progress) -> Option<Stop> {
            (progress.states > 2000).then_some(Stop::Interrupted)
        }
    }
    for strategy in STRATEGIES {
        let outcome = search(
            strategy,
            &mut counters(3, 40, 0),
            &Settings::default(),
            &mut Impatient,
        );
        assert!(matches!(outcome.end, End::Stopped(Stop::Interrupted)));
        assert!(outcome.stats.stored < 10_000);
    }
}

#[test]
fn a_million_deep_stack_is_fine() {
    let mut line = Toy {
        processes: 1,
        first: vec![0; 4],
        hidden: 0,
        valid_end: |_| true,
        ways: |state: &[u8], _| {
            let n = u32::from_le_bytes([state[0], state[1], state[2], state[3]]);
            let to = |n: u32| Way {
                next: n.to_le_bytes().to_vec(),
                atomic: false,
                assertion: None,
            };
            if n == 1_000_000 {
                vec![]
            } else {
                vec![to(n + 1)]
            }
        },
    };
    for strategy in [Strategy::Dfs, Strategy::StrictDfs] {
        let outcome = run(strategy, &mut line, &Settings::default());
        assert_eq!(outcome.stats.depth, 1_000_000);
        assert!(
            outcome.stats.stack_bytes < 64_000_000,
            "{:?}",
            outcome.stats
        );
    }
}

/// Ways that branch in two and meet again, `n` times over, all inside one atomic sequence; then the end, or
/// round again.
fn diamonds(n: u8, round: bool) -> Toy<impl Fn(&[u8], u16) -> Vec<Way>> {
    Toy {
        processes: 1,
        first: vec![0, 0],
        hidden: 0,
        valid_end: |_| true,
        ways: move |state: &[u8], _| {
            let way = |at: u8, side: u8, atomic: bool| Way {
                next: vec![at, side],
                atomic,
                assertion: None,
            };
            match (state[0], state[1]) {
                (at, 0) if at == n && round => vec![way(1, 0, true), way(n + 1, 0, false)],
                (at, 0) if at >= n => vec![],
                (at, 0) => vec![way(at, 1, true), way(at, 2, true)],
                (at, _) => vec![way(at + 1, 0, true)],
            }
        },
    }
}

#[test]
fn atomic_sequences_that_branch_and_meet_are_counted_like_spin_does() {
    for strategy in STRATEGIES {
        let outcome = run(strategy, &mut diamonds(3, false), &Settings::default());
        assert_eq!(outcome.stats.stored, 2);
        assert_eq!(outcome.stats.matched, 7);
        assert_eq!(outcome.stats.atomic_steps, 2 * (2 + 4 + 8));
        assert_eq!(outcome.stats.atomic_repeats, 0);
    }
}

#[test]
fn atomic_sequences_that_branch_a_lot_or_go_round_end() {
    for strategy in STRATEGIES {
        for (n, round) in [(200, false), (3, true), (200, true), (30, false)] {
            let outcome = run(strategy, &mut diamonds(n, round), &Settings::default());
            assert_eq!(outcome.stats.stored, 2, "{n} {round}");
            assert!(outcome.stats.atomic_repeats > 0);
            assert!(outcome.stats.atomic_steps < 100_000);
        }
    }
}

#[test]
fn breadth_first_paths_are_shortest() {
    let grid = |state: &[u8], pid: u16| {
        let mut next = state.to_vec();
        next[pid as usize] = (next[pid as usize] + 1) % 10;
        let goal = next == [2, 1, 3];
        vec![Way {
            next,
            atomic: false,
            assertion: goal.then_some(1),
        }]
    };
    let mut toy = Toy {
        processes: 3,
        first: vec![0; 3],
        hidden: 0,
        valid_end: |_| true,
        ways: grid,
    };
    let outcome = run(Strategy::Bfs, &mut toy, &Settings::default());
    let path = &outcome.found[0].path;
    assert_eq!(path.len(), 6);
    let of = |pid: u16| path.iter().filter(|m| m.0 == Pid(pid)).count();
    assert_eq!((of(0), of(1), of(2)), (2, 1, 3));
}
