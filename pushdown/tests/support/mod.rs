//! Random networks for tests, from a seed.
#![allow(dead_code, unreachable_pub)]

use ample_pushdown::explicit::network::{Action, Configuration, Network, Rule};
use ltl::random::Rng;

/// What random networks may contain.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Percentage of rules that push.
    pub push: usize,
    /// Percentage of rules that create threads.
    pub spawn: usize,
    /// Symbols are pairs of a label and this many bits.
    pub local_bits: u32,
}

/// How many random networks to try: `AMPLE_NETWORKS`, or `few`.
pub fn networks(few: u64) -> u64 {
    let asked = std::env::var("AMPLE_NETWORKS").ok();
    asked.map_or(few, |n| n.parse().expect("AMPLE_NETWORKS is a number"))
}

/// The first seed: `AMPLE_SEED`, or 1.
pub fn seed() -> u64 {
    let asked = std::env::var("AMPLE_SEED").ok();
    asked.map_or(1, |n| n.parse().expect("AMPLE_SEED is a number"))
}

/// A random network: one to three threads of one or two programs with few symbols.
pub fn network(rng: &mut Rng, shape: Shape) -> Network {
    let shared = rng.within(2, 4) as u32;
    let programs = rng.within(1, 2) as u32;
    let labels = rng.within(2, 3) as u32;
    let per_program = labels << shape.local_bits;
    let symbols = per_program * programs;
    let threads = [1, 2, 2, 3, 3][rng.below(5)];
    let mut rules = Vec::new();
    for program in 0..programs {
        let base = program * per_program;
        for _ in 0..rng.within(4, 6 + 2 * per_program as usize) {
            let symbol = |rng: &mut Rng| base + rng.below32(per_program);
            let from = (rng.below32(shared), symbol(rng));
            let kind = rng.below(100);
            let action = if kind < shape.push {
                Action::Push {
                    callee: symbol(rng),
                    ret: symbol(rng),
                }
            } else if kind < shape.push + shape.spawn {
                Action::Spawn {
                    next: symbol(rng),
                    entry: rng.below32(symbols),
                }
            } else if kind < shape.push + shape.spawn + 25 {
                Action::Pop
            } else {
                Action::Internal(symbol(rng))
            };
            rules.push(Rule {
                from,
                to: rng.below32(shared),
                action,
            });
        }
    }
    rules.sort_unstable();
    rules.dedup();
    let stack = |rng: &mut Rng| {
        let base = rng.below32(programs) * per_program;
        let depth = if rng.chance(20) { 2 } else { 1 };
        (0..depth)
            .map(|_| base + rng.below32(per_program))
            .collect()
    };
    let stacks = (0..threads).map(|_| stack(rng)).collect();
    let initial = Configuration {
        shared: rng.below32(shared),
        stacks,
    };
    Network {
        shared,
        symbols,
        rules,
        initial,
    }
}
