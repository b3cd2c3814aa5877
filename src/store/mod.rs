//! Where visited states are kept.
//!
//! A search asks a store one question: is this state new? [`Store::insert`] answers `New`, `Seen` or `Full`.
//! Everything else (compression, lossy tables, disk) hides behind that seam. What is inserted is a *key*, the
//! bytes that make two states equal, and a fixed number of *extra* bytes that belong to the state without
//! distinguishing it: the values of `hidden` variables on the first visit, the parent of a breadth-first
//! search. The extra bytes of the first visit stay.

mod arena;
mod batch;
mod bits;
mod compact;
mod exact;
mod lossy;
mod pages;
mod prefetch;
mod sketch;

pub use batch::Batch;
pub use exact::ExactStore;
pub(crate) use lossy::mix;
pub use lossy::{Fingerprint, Loss, LossyKind, LossyStore};
pub use sketch::Sketch;

/// A stored state. Opaque; fits in 40 bits, which is what [`StateId::to_bytes`] writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(u64);

impl StateId {
    /// Number of bits that matter.
    pub const BITS: u32 = 40;

    /// Number of bytes of [`StateId::to_bytes`].
    pub const BYTES: usize = 5;

    /// No state.
    pub const NONE: StateId = StateId((1 << StateId::BITS) - 1);

    /// From the number that [`StateId::raw`] gave.
    pub fn from_raw(raw: u64) -> StateId {
        debug_assert!(raw < 1 << StateId::BITS);
        StateId(raw)
    }

    /// As a number below 2^40, for packing into a frame or a record.
    pub fn raw(self) -> u64 {
        self.0
    }

    /// As bytes, for the extra part of a record.
    pub fn to_bytes(self) -> [u8; StateId::BYTES] {
        let b = self.0.to_le_bytes();
        [b[0], b[1], b[2], b[3], b[4]]
    }

    /// From [`StateId::to_bytes`].
    pub fn from_bytes(b: [u8; StateId::BYTES]) -> StateId {
        StateId(u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], 0, 0, 0]))
    }
}

/// The answer of [`Store::insert`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Insert {
    /// The state was not there; now it is.
    New(StateId),
    /// The state was there.
    Seen(StateId),
    /// The state was not there, and there is no room for it.
    Full,
}

/// A set of states.
pub trait Store {
    /// Adds a state unless it is there. `extra` always has the length the store was made for.
    fn insert(&mut self, key: &[u8], extra: &[u8]) -> Insert;

    /// Adds a state, whose extra bytes are given in two parts, to those that are to be inserted together.
    fn collect(&self, batch: &mut Batch, key: &[u8], along: &[u8], parent: &[u8]);

    /// Inserts all states of a batch, in order, and notes the answers in it. A lookup is mostly waiting for
    /// memory; many at once wait together.
    fn insert_all(&mut self, batch: &mut Batch);

    /// Looks for all states of a batch without inserting them, and puts what was found into `out`.
    fn find_all(&self, batch: &Batch, out: &mut Vec<Option<StateId>>);

    /// The bytes that were inserted as key.
    fn key(&self, id: StateId) -> &[u8];

    /// The bytes that were inserted as extra, at the first visit.
    fn extra(&self, id: StateId) -> &[u8];

    /// The extra bytes, to be changed.
    fn extra_mut(&mut self, id: StateId) -> &mut [u8];

    /// Number of states.
    fn len(&self) -> u64;

    /// Whether nothing has been inserted.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use, all included.
    fn bytes(&self) -> u64;

    /// Changes the number of bytes it may use: a store shares its memory with a stack that grows and shrinks.
    fn set_limit(&mut self, bytes: u64);

    /// Name for reports.
    fn name(&self) -> &'static str;
}
