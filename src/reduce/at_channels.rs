//! Interference through channels, as far as it is the same in all states.
//!
//! In general one has to look at the state: which channels two variables name, and how full those are. But a global channel
//! variable mostly names the channel that its declaration makes, for good; no two of these name the same one. Then it is
//! known beforehand which operations are on the same channel and whether that is a rendezvous; only what depends on the
//! messages in a buffer is left to be looked up.

use super::facts::{Future, Now};
use super::reason::Minds;
use super::uses::{LaterUse, NowUse, Via};
use crate::machine::FixedChannel;
use rustc_hash::FxHashMap;

/// What a place and a future have to do with each other.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AtChannels {
    /// Nothing in any state, events of a trace left out.
    Apart,
    /// That depends on the state.
    Depends,
    /// They interfere in every state.
    Interfere,
}

/// Compares all that a place does now with all that a future may do later.
pub(super) fn at_channels(
    now: &Now,
    future: &Future,
    fixed: &FxHashMap<u32, FixedChannel>,
    minds: impl Fn(&NowUse, &LaterUse) -> Minds,
) -> AtChannels {
    if future.any_chan && !now.chans.is_empty() {
        return AtChannels::Interfere;
    }
    let pairs = now
        .chans
        .iter()
        .flat_map(|used| future.chans.iter().map(move |theirs| (used, theirs)));
    pairs
        .map(|(used, theirs)| pair_at_channels(used, theirs, fixed, minds(used, theirs)))
        .max()
        .unwrap_or(AtChannels::Apart)
}

fn pair_at_channels(
    used: &NowUse,
    theirs: &LaterUse,
    fixed: &FxHashMap<u32, FixedChannel>,
    minds: Minds,
) -> AtChannels {
    if used.arrives && !theirs.asks {
        return AtChannels::Apart;
    }
    let Some(via) = used.via else {
        return AtChannels::Interfere;
    };
    if via.own || theirs.via.own {
        return AtChannels::Depends;
    }
    // The same global variable names the same channel to everyone.
    let mut shared = via.cells().filter(|&cell| theirs.via.has(cell));
    let is_fixed = |via: Via| via.cells().all(|cell| fixed.contains_key(&cell));
    if !(is_fixed(via) && is_fixed(theirs.via)) {
        return match shared.next() {
            Some(_) if minds == Minds::Always && !used.arrives => AtChannels::Interfere,
            _ => AtChannels::Depends,
        };
    }
    let operations = !used.release && !theirs.release && !used.arrives;
    let meets = |cell: u32| fixed[&cell].capacity == 0 && operations;
    shared
        .map(|cell| match minds {
            _ if used.arrives && fixed[&cell].capacity > 0 => AtChannels::Apart,
            Minds::Always => AtChannels::Interfere,
            _ if meets(cell) => AtChannels::Interfere,
            Minds::Without(_) | Minds::WithoutRoom(_) => AtChannels::Depends,
            Minds::No => AtChannels::Apart,
        })
        .max()
        .unwrap_or(AtChannels::Apart)
}
