//! What can be typed about stores.

use crate::check::{Options, Store, SwarmOptions};
use clap::{Args as ClapArgs, ValueEnum};

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum StoreArg {
    /// The state as it is: the least time
    Exact,
    /// The state as a tree of parts that it shares with others: exact too, 11 to 24 bytes per state, slower
    Compressed,
    /// A fingerprint of 64 bits (hash-compact): about 10 bytes per state
    Compact,
    /// Some bits of an array of fixed size (bitstate)
    Bitstate,
}

#[derive(Debug, ClapArgs)]
pub(super) struct StoreArgs {
    /// What is kept of a state: the state, as it is or compressed, or a fingerprint of 64 bits, or a few bits. The latter two
    /// may leave out states unnoticed: they find violations where memory is short, but prove nothing
    #[arg(long, value_enum)]
    store: Option<StoreArg>,
    /// Bits per state with --store bitstate or --swarm [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64))]
    hash_functions: Option<u32>,
    /// Call it a success when a lossy search leaves out nothing but what its store may have lost: the verdict then is that
    /// the property probably holds, and how probably
    #[arg(long)]
    accept_probabilistic: bool,
    /// Instead of one search make N bitstate searches that differ in the order of processes and moves, in depth and in hash
    /// functions, --workers at a time, within --time and --memory; the first violation ends it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    swarm: Option<u32>,
    /// How the searches of a swarm differ
    #[arg(long, value_name = "N", default_value_t = 1, requires = "swarm")]
    seed: u64,
}

impl StoreArgs {
    /// Adds what was typed.
    pub(super) fn add_to(&self, options: &mut Options) {
        options.store = self.store.map(|store| match store {
            StoreArg::Exact => Store::Exact,
            StoreArg::Compressed => Store::Compressed,
            StoreArg::Compact => Store::Compact,
            StoreArg::Bitstate => Store::Bitstate,
        });
        options.hash_functions = self.hash_functions;
        options.accept_probabilistic = self.accept_probabilistic;
        options.swarm = self.swarm.map(|members| SwarmOptions {
            members,
            seed: self.seed,
        });
    }
}
