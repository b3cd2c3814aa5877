//! Where visited states are kept.
//!
//! A search asks a store one question: is this state new? [`ExactStore::insert`] answers `New`, `Seen` or `Full`. What is
//! inserted is a *key*, the bytes that make two states equal, and what goes *along* without distinguishing it: the values of
//! `hidden` variables on the first visit. A stored state can be had back ([`ExactStore::load`]), and can have a *note* of the
//! search, a few bytes that may change: a colour, a parent.
//!
//! There are two ways to keep states exactly: [`flat`] takes less time, [`tree`] less memory.

mod arena;
mod bits;
mod compact;
mod exact;
mod flat;
mod image;
mod interner;
mod lossy;
mod notes;
mod prefetch;
mod room;
mod roots;
mod same;
mod sketch;
mod slots;
#[cfg(test)]
mod tests;
mod tree;
mod words;

pub use exact::{ExactStore, StoreKind};
pub use lossy::{Fingerprint, Loss, LossyKind, LossyStore};
pub use notes::Notes;
pub(crate) use same::is_equal;
pub use sketch::Sketch;

/// A stored state. Opaque; never 0, and the uppermost bit is free for others to use.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(u64);

impl StateId {
    /// Number of bits that matter.
    pub const BITS: u32 = 63;

    /// From the number that [`StateId::raw`] gave.
    pub fn new(raw: u64) -> StateId {
        debug_assert!(raw != 0 && raw >> StateId::BITS == 0);
        StateId(raw)
    }

    /// The same, where 0 stands for no state.
    pub fn from_raw(raw: u64) -> Option<StateId> {
        (raw != 0).then(|| StateId::new(raw))
    }

    /// As a number other than 0.
    pub fn raw(self) -> u64 {
        self.0
    }
}

/// The answer to a state that was to be stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Insert {
    /// The state was not there; now it is.
    New(StateId),
    /// The state was there.
    Seen(StateId),
    /// The state was not there, and there is no room for it.
    Full,
}

/// Why a store is full.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// It has come to its limit.
    Limit,
    /// The system has refused memory.
    System,
    /// The system has refused room for a file.
    Disk,
}

/// Spreads words evenly over all words, one to one (the finaliser of Stafford's variant 13 of MurmurHash3).
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
