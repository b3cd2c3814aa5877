//! The explicit engines beside each other and beside hand-written cases: brute force is the definition, the algorithm of
//! Qadeer and Rehof must find the same configurations for every number of contexts, runs must execute, and convergence
//! must not be claimed while visible states are still to come.

mod support;

use ample_pushdown::explicit::brute::{Limits, reachable};
use ample_pushdown::explicit::contexts::{Exploration, Outcome, check};
use ample_pushdown::explicit::converge::Convergence;
use ample_pushdown::explicit::creation::Slots;
use ample_pushdown::explicit::network::{Action, Configuration, Network, Rule, Target, Top};
use ample_pushdown::explicit::post::Fault;
use ltl::random::Rng;
use std::collections::BTreeSet;
use support::{Shape, network, networks, seed};

const CONTEXTS: usize = 5;
const LIMITS: Limits = Limits {
    depth: 6,
    configurations: 20_000,
};

fn explored(network: &Network, fault: Fault) -> Exploration<'_> {
    let mut exploration = Exploration::with_fault(network, fault);
    for _ in 0..CONTEXTS {
        assert!(exploration.advance(1_000_000));
    }
    exploration
}

/// The configurations of the first levels, up to a depth of stacks.
fn configurations(
    exploration: &Exploration<'_>,
    contexts: usize,
    depth: usize,
) -> BTreeSet<Configuration> {
    let mut all = BTreeSet::new();
    for tuple in (0..=contexts).flat_map(|level| exploration.level(level)) {
        let mut prefixes = vec![Vec::new()];
        for stacks in &tuple.stacks {
            let words = stacks.up_to(depth);
            let longer = |prefix: &Vec<Vec<u32>>| {
                let with = |word: &Vec<u32>| [prefix.clone(), vec![word.clone()]].concat();
                words.iter().map(with).collect::<Vec<_>>()
            };
            prefixes = prefixes.iter().flat_map(longer).collect();
        }
        all.extend(prefixes.into_iter().map(|stacks| Configuration {
            shared: tuple.shared,
            stacks,
        }));
    }
    all
}

#[test]
fn random_networks_agree_with_brute_force() {
    let (mut compared, mut deep) = (0, 0);
    for seed in seed()..seed() + networks(400) {
        let mut rng = Rng::seeded(seed);
        let shape = Shape {
            push: [0, 10, 20][rng.below(3)],
            spawn: 0,
            local_bits: 0,
        };
        let network = network(&mut rng, shape);
        let Some(levels) = reachable(&network, CONTEXTS, LIMITS) else {
            deep += 1;
            continue;
        };
        let exploration = explored(&network, Fault::None);
        for contexts in 0..=CONTEXTS {
            let within = levels.iter().filter(|(_, level)| **level <= contexts);
            let brute: BTreeSet<Configuration> = within.map(|((c, _), _)| c.clone()).collect();
            let found = configurations(&exploration, contexts, LIMITS.depth + 1);
            assert_eq!(found, brute, "seed {seed}, {contexts} contexts");
        }
        compared += 1;
    }
    assert!(
        compared > networks(400) * 2 / 3,
        "{compared} compared, {deep} too deep"
    );
}

#[test]
fn every_visible_state_has_a_run() {
    let mut runs = 0;
    for seed in seed()..seed() + networks(150) {
        let mut rng = Rng::seeded(seed ^ 0x5eed);
        let network = network(
            &mut rng,
            Shape {
                push: 25,
                spawn: 0,
                local_bits: 0,
            },
        );
        let mut exploration = Exploration::new(&network);
        for contexts in 0..=3 {
            for (shared, tops) in exploration.visible(contexts).into_iter().take(20) {
                let tops = tops
                    .into_iter()
                    .map(|t| t.map_or(Top::Empty, Top::Is))
                    .collect();
                let target = Target::Visible {
                    shared: Some(shared),
                    tops,
                };
                let run = exploration.witness(&target).expect("a run");
                network
                    .confirm(&run, &target, contexts)
                    .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                runs += 1;
            }
            assert!(exploration.advance(100_000));
        }
    }
    assert!(runs > 1000, "{runs}");
}

#[test]
fn created_threads_agree_with_brute_force() {
    let (mut compared, mut created, mut runs) = (0, 0, 0);
    for seed in seed()..seed() + networks(200) {
        let mut rng = Rng::seeded(seed ^ 0xc0de);
        let network = network(
            &mut rng,
            Shape {
                push: 5,
                spawn: 12,
                local_bits: 0,
            },
        );
        for contexts in 1..=4 {
            let Some(levels) = reachable(&network, contexts, LIMITS) else {
                break;
            };
            let mut brute = BTreeSet::new();
            for (configuration, marks) in levels.keys() {
                for (stack, _) in configuration
                    .stacks
                    .iter()
                    .zip(marks)
                    .filter(|(_, mark)| **mark)
                {
                    brute.insert((configuration.shared, stack.first().copied()));
                }
                created += usize::from(configuration.stacks.len() > network.initial.stacks.len());
            }
            let slots = Slots::new(&network, contexts).expect("few slots");
            let mut exploration = Exploration::new(slots.network());
            let mut found = BTreeSet::new();
            for level in 0..=contexts {
                for tuple in exploration.level(level) {
                    let tops = tuple.stacks.iter().flat_map(|s| s.tops());
                    let tops = tops.filter(|top| top.is_none_or(|t| !slots.waits(t)));
                    found.extend(tops.map(|top| (slots.shared(tuple.shared), top)));
                }
                assert!(level == contexts || exploration.advance(1_000_000));
            }
            assert_eq!(found, brute, "seed {seed}, {contexts} contexts");
            for top in 0..network.symbols {
                let target = Target::SomeThread { shared: None, top };
                let reached = brute.iter().any(|(_, t)| *t == Some(top));
                match check(
                    &network,
                    &[target],
                    contexts,
                    1_000_000,
                    &|| false,
                    |_, _| {},
                )
                .expect("a verdict")
                {
                    Outcome::Violated { .. } => runs += usize::from(reached),
                    Outcome::Bounded { .. } => {
                        assert!(!reached || !network.spawns(), "seed {seed}")
                    }
                    Outcome::Holds { .. } => assert!(!reached && !network.spawns(), "seed {seed}"),
                }
            }
            compared += 1;
        }
    }
    assert!(
        compared > 200 && created > 100 && runs > 100,
        "{compared} {created} {runs}"
    );
}

#[test]
fn convergence_is_never_claimed_too_early() {
    let (mut converged, mut stuttered) = (0, 0);
    for seed in seed()..seed() + networks(300) {
        let mut rng = Rng::seeded(seed ^ 0xc0f);
        let network = network(
            &mut rng,
            Shape {
                push: 20,
                spawn: 0,
                local_bits: 0,
            },
        );
        let mut exploration = Exploration::new(&network);
        let mut convergence = Convergence::new(&network);
        let mut claimed = None;
        for contexts in 0..=8 {
            if claimed.is_none() && convergence.holds(&exploration).is_some() {
                converged += 1;
                stuttered += usize::from(!exploration.exhausted());
                let all = (0..=contexts).flat_map(|level| exploration.visible(level));
                claimed = Some(all.collect::<BTreeSet<_>>());
            }
            if let Some(claimed) = &claimed {
                assert!(
                    exploration.visible(contexts).is_subset(claimed),
                    "seed {seed}"
                );
            }
            if !exploration.advance(20_000) {
                break;
            }
        }
    }
    assert!(converged > 100 && stuttered > 3, "{converged} {stuttered}");
}

#[test]
fn a_join_left_out_is_noticed() {
    let differs = (1..40).any(|seed| {
        let mut rng = Rng::seeded(seed);
        let network = network(
            &mut rng,
            Shape {
                push: 20,
                spawn: 0,
                local_bits: 0,
            },
        );
        let right = explored(&network, Fault::None);
        let wrong = explored(&network, Fault::NoJoin);
        (0..=CONTEXTS).any(|level| right.visible(level) != wrong.visible(level))
    });
    assert!(differs);
}

/// One thread pushes without end and can pop again after the other one allows it.
fn tower() -> Network {
    let rule = |from, to, action| Rule { from, to, action };
    Network {
        shared: 3,
        symbols: 3,
        rules: vec![
            rule((0, 0), 0, Action::Push { callee: 0, ret: 1 }),
            rule((1, 0), 1, Action::Pop),
            rule((1, 1), 1, Action::Pop),
            rule((0, 2), 1, Action::Internal(2)),
        ],
        initial: Configuration {
            shared: 0,
            stacks: vec![vec![0], vec![2]],
        },
    }
}

#[test]
fn recursion_without_end_is_decided() {
    let network = tower();
    let target = |shared, first| Target::Visible {
        shared: Some(shared),
        tops: vec![first, Top::Any],
    };
    let ask =
        |target| check(&network, &[target], 6, 1000, &|| false, |_, _| {}).expect("a verdict");
    // The stack is empty only after a switch to the second thread; in the third context if anything was pushed.
    assert!(matches!(
        ask(target(1, Top::Empty)),
        Outcome::Violated { contexts: 2, .. }
    ));
    assert!(matches!(
        ask(target(1, Top::Is(1))),
        Outcome::Violated { contexts: 3, .. }
    ));
    assert!(matches!(ask(target(2, Top::Any)), Outcome::Holds { .. }));
}

#[test]
fn generators_decide_stacks_that_grow_with_every_context() {
    // Two threads pass the turn; each turn lets the first push one more symbol.
    let rule = |from, to, action| Rule { from, to, action };
    let network = Network {
        shared: 3,
        symbols: 3,
        rules: vec![
            rule((0, 0), 1, Action::Push { callee: 0, ret: 1 }),
            rule((1, 2), 0, Action::Internal(2)),
        ],
        initial: Configuration {
            shared: 0,
            stacks: vec![vec![0], vec![2]],
        },
    };
    let target = Target::Visible {
        shared: Some(2),
        tops: vec![],
    };
    let outcome = check(&network, &[target], 7, 1000, &|| false, |_, _| {}).expect("a verdict");
    let Outcome::Holds { reason, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert!(reason.contains("generators"), "{reason}");
}

#[test]
fn a_network_that_does_not_converge_says_so() {
    // Each turn of the first thread pushes five symbols and pops four: the stack is never empty, and grows with every
    // turn. An abstraction that keeps few symbols cannot tell.
    let rule = |from, to, action| Rule { from, to, action };
    let mut rules = vec![rule((9, 1), 0, Action::Internal(1))];
    rules.extend((0..5).map(|g| rule((g, 0), g + 1, Action::Push { callee: 0, ret: 0 })));
    rules.extend((5..9).map(|g| rule((g, 0), g + 1, Action::Pop)));
    let initial = Configuration {
        shared: 0,
        stacks: vec![vec![0], vec![1]],
    };
    let network = Network {
        shared: 10,
        symbols: 2,
        rules,
        initial,
    };
    let target = Target::Visible {
        shared: None,
        tops: vec![Top::Empty],
    };
    let outcome = check(&network, &[target], 9, 1000, &|| false, |_, _| {}).expect("a verdict");
    let Outcome::Bounded {
        contexts: 9,
        reason,
    } = outcome
    else {
        panic!("{outcome:?}");
    };
    assert!(reason.contains("generator"), "{reason}");
}
