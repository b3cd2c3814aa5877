//! Options of the state store.

use crate::check::{Options, Store, SwarmOptions};
use clap::{Args as ClapArgs, ValueEnum};

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum StoreArg {
    /// The full state vector: fastest
    Exact,
    /// Tree compression: exact too, 11 to 24 bytes per state, slower
    Compressed,
    /// Hash compaction: a fingerprint of 64 bits, about 10 bytes per state
    Compact,
    /// Bitstate hashing: a few bits per state in an array of fixed size
    Bitstate,
}

#[derive(Debug, ClapArgs)]
pub(super) struct StoreArgs {
    /// How visited states are stored [default: exact]
    ///
    /// The lossy stores, compact and bitstate, may omit states without notice: they find violations when memory is short, but
    /// cannot prove that a property holds.
    #[arg(long, value_enum)]
    store: Option<StoreArg>,
    /// Number of bits set per state with --store bitstate or --swarm [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64))]
    hash_functions: Option<u32>,
    /// Accept a lossy search that was not stopped and found no violation: the verdict is that the property probably holds,
    /// with an estimate of the probability, and the exit code is 0
    #[arg(long)]
    accept_probabilistic: bool,
    /// Swarm verification: N bitstate searches that differ in the order of processes and moves, in depth and in hash
    /// functions, --workers at a time, within --time and --memory; stops at the first violation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    swarm: Option<u32>,
    /// Seed of the swarm
    #[arg(long, value_name = "N", default_value_t = 1, requires = "swarm")]
    seed: u64,
}

impl StoreArgs {
    /// Adds the options given on the command line.
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
