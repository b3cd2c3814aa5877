//! What can be typed about stores.

use super::units;
use crate::config::StoreChoice;
use crate::search::Swarm;
use crate::store::{Kind, LossyKind};
use anyhow::bail;
use clap::{Args as ClapArgs, ValueEnum};

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum StoreArg {
    /// The state as it is: the least time
    Exact,
    /// The state as a tree of parts that it shares with others: exact too, 11 to 24 bytes a state, slower
    Compressed,
    /// A fingerprint of 64 bits (hash-compact): about 10 bytes a state
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
    /// Bits a state with --store bitstate
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64))]
    hash_functions: u32,
    /// Call it a success when a lossy search leaves out nothing but what its store may have lost: the verdict then is that
    /// the property probably holds, and how probably
    #[arg(long)]
    pub(super) accept_probabilistic: bool,
    /// Instead of one search make N bitstate searches that differ in the order of processes and moves, in depth and in hash
    /// functions, --workers at a time, within --time and --memory; the first violation ends it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    swarm: Option<u32>,
    /// How the searches of a swarm differ
    #[arg(long, value_name = "N", default_value_t = 1, requires = "swarm")]
    seed: u64,
}

/// Without `--memory`, the most that an array of bits takes: good for some forty million states.
const USUAL_BITS: u64 = 512 << 20;

impl StoreArgs {
    /// What is kept of states, when there is that much memory for it; a swarm has that many threads.
    pub(super) fn ready(&self, memory: Option<u64>, workers: usize) -> anyhow::Result<StoreChoice> {
        let threads = self.swarm.map_or(1, |members| members.min(workers as u32));
        // The stack needs room as well.
        let bytes = match memory {
            Some(memory) => memory / 4 * 3,
            None => {
                (units::free_memory().unwrap_or(u64::MAX) / 2).min(USUAL_BITS * u64::from(threads))
            }
        } / u64::from(threads);
        let hashes = self.hash_functions;
        Ok(match (self.swarm, self.store) {
            (None, None | Some(StoreArg::Exact)) => StoreChoice::Exact(Kind::Flat),
            (None, Some(StoreArg::Compressed)) => StoreChoice::Exact(Kind::Tree),
            (None, Some(StoreArg::Compact)) => StoreChoice::Lossy(LossyKind::Compact),
            (None, Some(StoreArg::Bitstate)) => StoreChoice::Lossy(LossyKind::Bits {
                bytes,
                hashes,
                seed: 0,
            }),
            (Some(members), None | Some(StoreArg::Bitstate)) => StoreChoice::Swarm(Swarm {
                members,
                threads,
                seed: self.seed,
                bytes,
                hashes,
            }),
            (Some(_), Some(_)) => bail!("a swarm has bitstate stores: leave out --store"),
        })
    }
}
