//! Lazy splitting, eager splitting, the explicit algorithm and brute force beside each other on random networks.
//!
//! `AMPLE_NETWORKS=N` tries more networks, `AMPLE_SEED=S` others. Every fault on purpose must be noticed here.

mod support;

use ample_pushdown::explicit::brute::{Limits, reachable};
use ample_pushdown::explicit::contexts as explicit;
use ample_pushdown::explicit::network::{Configuration, Network, Target, Top};
use ample_pushdown::explicit::stacks::Stacks;
use ample_pushdown::symbolic::contexts::{Exploration, Fault, Options, Outcome, Splitting, check};
use ample_pushdown::symbolic::encode::Encoded;
use ample_pushdown::symbolic::network::{Configuration as Symbolic, Frame};
use ltl::random::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use support::{Shape, network, networks, seed};

const CONTEXTS: usize = 5;
const NODES: usize = 1 << 18;
/// Stacks are compared up to this depth where there are infinitely many.
const DEPTH: usize = 3;
/// More configurations are not listed: with three threads and many symbols there are millions up to that depth.
const MOST_LISTED: usize = 60_000;

/// Configurations as numbers, which are compared faster: sixteen bits for each stack.
#[derive(Default)]
struct Numbers(FxHashMap<Vec<u32>, u64>);

impl Numbers {
    fn stack(&mut self, stack: &[u32]) -> u64 {
        let next = self.0.len() as u64;
        assert!(next < 1 << 16, "too many stacks");
        *self.0.entry(stack.to_vec()).or_insert(next)
    }

    /// All combinations of stacks, with a shared state.
    fn add(&mut self, shared: u32, stacks: &[Vec<Vec<u32>>], all: &mut FxHashSet<u64>) {
        let mut found = vec![u64::from(shared)];
        for words in stacks {
            let words: Vec<u64> = words.iter().map(|word| self.stack(word)).collect();
            let longer = |prefix: u64| words.iter().map(move |word| prefix << 16 | word);
            found = found.into_iter().flat_map(longer).collect::<Vec<_>>();
        }
        all.extend(found);
    }
}

fn explicit_sets(network: &Network, depth: usize, numbers: &mut Numbers) -> Vec<FxHashSet<u64>> {
    let mut exploration = explicit::Exploration::new(network);
    for _ in 0..CONTEXTS {
        assert!(exploration.advance(1_000_000));
    }
    let mut all = FxHashSet::default();
    let mut sets = Vec::new();
    for contexts in 0..=CONTEXTS {
        for tuple in exploration.level(contexts) {
            let stacks: Vec<_> = tuple.stacks.iter().map(|s| s.up_to(depth)).collect();
            numbers.add(tuple.shared, &stacks, &mut all);
        }
        sets.push(all.clone());
    }
    sets
}

/// The largest depth up to which there are few enough configurations to list them.
fn depth_of(network: &Network) -> usize {
    let mut exploration = explicit::Exploration::new(network);
    for _ in 0..CONTEXTS {
        assert!(exploration.advance(1_000_000));
    }
    let count = |depth: usize| -> usize {
        let words = |stacks: &std::rc::Rc<Stacks>| stacks.up_to(depth).len();
        let tuples = exploration.tuples().iter();
        let sizes = tuples.map(|tuple| tuple.stacks.iter().map(words).product::<usize>());
        sizes.sum()
    };
    let few = |depth: &usize| count(*depth) <= MOST_LISTED;
    (1..=DEPTH).rev().find(few).unwrap_or(0)
}

fn symbolic_sets(
    network: &Network,
    bits: usize,
    depth: usize,
    splitting: Splitting,
    numbers: &mut Numbers,
) -> Vec<FxHashSet<u64>> {
    let encoded = Encoded::new(network, bits, CONTEXTS, NODES).expect("a small network");
    let options = Options {
        splitting,
        ..Options::new(CONTEXTS)
    };
    let mut exploration = Exploration::new(&encoded.network, options).expect("a start");
    let mut all = FxHashSet::default();
    let mut sets = Vec::new();
    for contexts in 0..=CONTEXTS {
        let found = exploration.configurations(contexts, depth);
        for (globals, stacks) in found.expect("enough nodes") {
            let encoded = |stack: &Vec<Frame>| {
                let alone = Symbolic {
                    globals: globals.clone(),
                    stacks: vec![stack.clone()],
                };
                let Configuration { shared, stacks } = encoded.configuration(&alone);
                (shared, stacks.concat())
            };
            let (shared, _) = encoded(&Vec::new());
            let stacks: Vec<Vec<Vec<u32>>> = stacks
                .iter()
                .map(|set| set.iter().map(|stack| encoded(stack).1).collect())
                .collect();
            numbers.add(shared, &stacks, &mut all);
        }
        sets.push(all.clone());
        if contexts < CONTEXTS {
            exploration.advance(&[], false).expect("enough nodes");
        }
    }
    sets
}

fn random(seed: u64) -> (Network, usize) {
    let mut rng = Rng::seeded(seed);
    let bits = rng.below(2);
    let push = [0, 12, 25][rng.below(3)];
    (
        network(
            &mut rng,
            Shape {
                push,
                spawn: 0,
                local_bits: bits as u32,
            },
        ),
        bits,
    )
}

#[test]
fn lazy_is_eager_is_explicit_is_brute_force() {
    let limits = Limits {
        depth: DEPTH,
        configurations: 5_000,
    };
    let (mut finite, mut infinite) = (0, 0);
    for seed in seed()..seed() + networks(250) {
        let (network, bits) = random(seed);
        let depth = depth_of(&network);
        let numbers = &mut Numbers::default();
        let explicit = explicit_sets(&network, depth, numbers);
        for splitting in [Splitting::Lazy, Splitting::Eager] {
            let symbolic = symbolic_sets(&network, bits, depth, splitting, numbers);
            for contexts in 0..=CONTEXTS {
                let (mine, theirs) = (&symbolic[contexts], &explicit[contexts]);
                assert!(
                    mine == theirs,
                    "seed {seed}, {splitting}, {contexts} contexts: {} and {}",
                    mine.len(),
                    theirs.len()
                );
            }
        }
        let levels = match depth {
            DEPTH => reachable(&network, CONTEXTS, limits),
            _ => None,
        };
        let Some(levels) = levels else {
            infinite += 1;
            continue;
        };
        finite += 1;
        for (contexts, explicit) in explicit.iter().enumerate() {
            let within = levels.iter().filter(|(_, level)| **level <= contexts);
            let mut brute = FxHashSet::default();
            for ((c, _), _) in within {
                let stacks: Vec<_> = c.stacks.iter().map(|stack| vec![stack.clone()]).collect();
                numbers.add(c.shared, &stacks, &mut brute);
            }
            assert!(*explicit == brute, "seed {seed}, {contexts} contexts");
        }
    }
    println!("{finite} networks with few configurations, {infinite} with more");
    assert!(finite > 20 && infinite > 20, "{finite} {infinite}");
}

#[test]
fn runs_of_the_symbolic_engine_execute_in_the_explicit_network() {
    let (mut runs, mut longest) = (0, 0);
    for seed in seed()..seed() + networks(80) {
        let (network, bits) = random(seed ^ 0xbeef);
        let encoded = Encoded::new(&network, bits, CONTEXTS, NODES).expect("a small network");
        let mut exploration = explicit::Exploration::new(&network);
        for contexts in 0..=4 {
            for (shared, tops) in exploration.visible(contexts).into_iter().take(8) {
                let tops = tops
                    .into_iter()
                    .map(|t| t.map_or(Top::Empty, Top::Is))
                    .collect();
                let target = Target::Visible {
                    shared: Some(shared),
                    tops,
                };
                let goal = encoded.target(&target).expect("a target");
                for splitting in [Splitting::Lazy, Splitting::Eager] {
                    let options = Options {
                        splitting,
                        may_converge: false,
                        ..Options::new(contexts)
                    };
                    let (outcome, _) = check(
                        &encoded.network,
                        std::slice::from_ref(&goal),
                        options,
                        |_| {},
                    );
                    let Outcome::Violated {
                        contexts: used,
                        run,
                        ..
                    } = outcome
                    else {
                        panic!("seed {seed}, {splitting}, {contexts} contexts: {outcome:?}");
                    };
                    assert!(used <= contexts);
                    let steps = encoded
                        .run(&network, &run)
                        .expect("a run of the explicit network");
                    network
                        .confirm(&steps, &target, contexts)
                        .expect("a run to the target");
                    runs += 1;
                    longest = longest.max(steps.len());
                }
            }
            assert!(exploration.advance(100_000));
        }
    }
    println!("{runs} runs, the longest with {longest} steps");
    assert!(runs > 500 && longest > 10, "{runs} {longest}");
}

#[test]
fn created_threads_agree_with_brute_force() {
    let limits = Limits {
        depth: 5,
        configurations: 10_000,
    };
    let (mut compared, mut violated) = (0, 0);
    for seed in seed()..seed() + networks(80) {
        let mut rng = Rng::seeded(seed ^ 0xc0de);
        let bits = rng.below(2);
        let shape = Shape {
            push: 5,
            spawn: 12,
            local_bits: bits as u32,
        };
        let network = network(&mut rng, shape);
        for bound in 1..=4 {
            let Some(levels) = reachable(&network, bound, limits) else {
                break;
            };
            let encoded = Encoded::new(&network, bits, bound, NODES).expect("a small network");
            let slots = encoded.slots(bound).expect("slots");
            for top in 0..network.symbols {
                let target = Target::SomeThread { shared: None, top };
                let goal = encoded.target(&target).expect("a target");
                let at = |marked: &&(Configuration, Vec<bool>)| {
                    let mut stacks = marked.0.stacks.iter().zip(&marked.1);
                    stacks.any(|(stack, mark)| *mark && stack.first() == Some(&top))
                };
                let least = levels.keys().filter(at).map(|c| levels[c]).min();
                for splitting in [Splitting::Lazy, Splitting::Eager] {
                    let options = Options {
                        splitting,
                        may_converge: false,
                        ..Options::new(bound)
                    };
                    let (outcome, _) =
                        check(&slots.network, std::slice::from_ref(&goal), options, |_| {});
                    match (outcome, least) {
                        (Outcome::Bounded { .. }, None) => {}
                        (Outcome::Violated { contexts, run, .. }, Some(least)) => {
                            assert_eq!(contexts, least, "seed {seed}, {splitting}, bound {bound}");
                            let run = slots.translate(&encoded.network, &run).expect("a run");
                            let steps = encoded.run(&network, &run).expect("a run");
                            network
                                .confirm(&steps, &target, bound)
                                .expect("a run to the target");
                            violated += 1;
                        }
                        (outcome, least) => {
                            panic!(
                                "seed {seed}, {splitting}, bound {bound}, top {top}: {outcome:?}, {least:?}"
                            )
                        }
                    }
                    compared += 1;
                }
            }
        }
    }
    println!("{compared} compared, {violated} violated");
    assert!(compared > 300 && violated > 100, "{compared} {violated}");
}

#[test]
fn every_fault_is_noticed() {
    for fault in [
        Fault::UnsafePartition,
        Fault::NoOldReturn,
        Fault::NoReuse,
        Fault::NotRestricted,
        Fault::NoSwitch,
        Fault::StaleGlobals,
    ] {
        let differs = (1..2000).any(|seed| {
            let (network, bits) = random(seed);
            explicit_visible(&network) != symbolic_visible(&network, bits, fault)
        });
        assert!(differs, "{fault:?}");
    }
}

/// Without the check a run of a single thread, split eagerly, starts with the globals that are all zero.
#[test]
fn runs_that_start_anywhere_are_noticed() {
    let unconfirmed = |seed: u64, fault: Fault| {
        let (network, bits) = random(seed);
        let encoded = Encoded::new(&network, bits, 1, NODES).expect("a small network");
        let options = Options {
            splitting: Splitting::Eager,
            fault,
            ..Options::new(1)
        };
        (0..network.symbols).any(|top| {
            let target = Target::SomeThread { shared: None, top };
            let goal = encoded.target(&target).expect("a target");
            let (outcome, _) = check(&encoded.network, &[goal], options, |_| {});
            matches!(outcome, Outcome::Stopped { .. })
        })
    };
    assert!((1..100).any(|seed| unconfirmed(seed, Fault::AnyStart)));
    assert!(!(1..100).any(|seed| unconfirmed(seed, Fault::None)));
}

#[test]
fn exchanging_threads_that_a_target_tells_apart_is_noticed() {
    let missed = |seed: u64| {
        let (network, bits) = random(seed);
        let encoded = Encoded::new(&network, bits, CONTEXTS, NODES).expect("a small network");
        let mut exploration = explicit::Exploration::new(&network);
        (0..=3).any(|contexts| {
            let unfound = exploration
                .visible(contexts)
                .into_iter()
                .any(|(shared, tops)| {
                    let tops = tops.into_iter().map(|t| t.map_or(Top::Empty, Top::Is));
                    let target = Target::Visible {
                        shared: Some(shared),
                        tops: tops.collect(),
                    };
                    let goal = encoded.target(&target).expect("a target");
                    let options = Options {
                        fault: Fault::ExchangeAlways,
                        may_converge: false,
                        ..Options::new(contexts)
                    };
                    let (outcome, _) = check(&encoded.network, &[goal], options, |_| {});
                    !matches!(outcome, Outcome::Violated { .. })
                });
            assert!(exploration.advance(100_000));
            unfound
        })
    };
    assert!((1..500).any(missed));
}

/// Visible states as configurations with stacks of at most one symbol.
fn explicit_visible(network: &Network) -> BTreeSet<Configuration> {
    let mut exploration = explicit::Exploration::new(network);
    for _ in 0..CONTEXTS {
        assert!(exploration.advance(1_000_000));
    }
    let all = (0..=CONTEXTS).flat_map(|contexts| exploration.visible(contexts));
    let cut = |(shared, tops): (u32, Vec<Option<u32>>)| {
        let stacks = tops
            .into_iter()
            .map(|top| top.into_iter().collect())
            .collect();
        Configuration { shared, stacks }
    };
    all.map(cut).collect()
}

fn symbolic_visible(network: &Network, bits: usize, fault: Fault) -> BTreeSet<Configuration> {
    let encoded = Encoded::new(network, bits, CONTEXTS, NODES).expect("a small network");
    let options = Options {
        fault,
        ..Options::new(CONTEXTS)
    };
    let mut exploration = Exploration::new(&encoded.network, options).expect("a start");
    for _ in 0..CONTEXTS {
        exploration.advance(&[], false).expect("enough nodes");
    }
    let visible = exploration.visible(CONTEXTS).expect("enough nodes");
    visible.iter().map(|c| encoded.configuration(c)).collect()
}

#[test]
fn heads_have_only_visible_states_that_are_reachable() {
    for seed in seed()..seed() + networks(100) {
        let (network, bits) = random(seed ^ 0xfade);
        let symbolic = symbolic_visible(&network, bits, Fault::None);
        assert_eq!(symbolic, explicit_visible(&network), "seed {seed}");
    }
}

#[test]
fn few_nodes_are_a_result() {
    let mut stopped = 0;
    for seed in 1..20 {
        let (network, bits) = random(seed);
        for nodes in [0, 100, 200, 400] {
            match Encoded::new(&network, bits, CONTEXTS, nodes) {
                Err(_) => stopped += 1,
                Ok(encoded) => {
                    let (outcome, _) = check(&encoded.network, &[], Options::new(CONTEXTS), |_| {});
                    stopped += usize::from(matches!(outcome, Outcome::Stopped { .. }));
                }
            }
        }
    }
    assert!(stopped > 10, "{stopped}");
}
