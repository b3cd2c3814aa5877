//! Stores that keep every state exactly: one seam for all of them.

use super::flat::FlatStore;
use super::tree::TreeStore;
use super::{Insert, Notes, Shortage, StateId};
use crate::checkpoint::{In, Out};
use std::io;
use std::path::Path;

/// How states are kept.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// As they are: the least time.
    #[default]
    Flat,
    /// As trees of shared parts: the least memory.
    Tree,
}

impl StoreKind {
    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            StoreKind::Flat => "exact",
            StoreKind::Tree => "exact, compressed",
        }
    }
}

/// A growing, exact set of states, as one thread sees it. A clone is a view of the same states for another thread.
#[derive(Clone, Debug)]
pub struct ExactStore {
    store: Either,
}

#[derive(Clone, Debug)]
enum Either {
    Flat(FlatStore),
    Tree(Box<TreeStore>),
}

macro_rules! both {
    ($self:ident, $store:ident => $what:expr) => {
        match &$self.store {
            Either::Flat($store) => $what,
            Either::Tree($store) => $what,
        }
    };
    (mut $self:ident, $store:ident => $what:expr) => {
        match &mut $self.store {
            Either::Flat($store) => $what,
            Either::Tree($store) => $what,
        }
    };
}

impl ExactStore {
    /// An empty store of states with which `along` bytes go along. It stays below `limit` bytes. A tree goes to files in the
    /// folder `spill` where that is not enough.
    pub fn new(
        kind: StoreKind,
        notes: Notes,
        along: usize,
        limit: u64,
        spill: Option<&Path>,
    ) -> ExactStore {
        ExactStore {
            store: match kind {
                StoreKind::Flat => Either::Flat(FlatStore::new(notes, along, limit)),
                StoreKind::Tree => {
                    Either::Tree(Box::new(TreeStore::new(notes, along, limit, spill)))
                }
            },
        }
    }

    /// Writes all states with their notes. No other thread may use the store meanwhile, and nothing may be collected.
    pub(crate) fn save(&mut self, out: &mut Out) -> io::Result<()> {
        both!(mut self, store => store.save(out))
    }

    /// Reads a store that was written so; the states have the numbers that they had.
    pub(crate) fn restored(
        kind: StoreKind,
        notes: Notes,
        along: usize,
        limit: u64,
        spill: Option<&Path>,
        input: &mut In,
    ) -> io::Result<ExactStore> {
        let store = match kind {
            StoreKind::Flat => Either::Flat(FlatStore::restored(notes, along, limit, input)?),
            StoreKind::Tree => {
                let store = TreeStore::restored(notes, along, limit, spill, input)?;
                Either::Tree(Box::new(store))
            }
        };
        Ok(ExactStore { store })
    }

    /// Adds a state unless it is there; a new one has that note.
    pub fn insert(&mut self, key: &[u8], along: &[u8], note: u64) -> Insert {
        self.collect(key, along);
        let mut answer = None;
        self.insert_collected(note, |told, _| _ = answer.get_or_insert(told));
        answer.unwrap_or(Insert::Full)
    }

    /// Adds a state to those that are to be inserted together: a lookup is mostly waiting for memory, and many at once wait
    /// together. What goes along is kept as it was when the state was new.
    #[inline]
    pub fn collect(&mut self, key: &[u8], along: &[u8]) {
        both!(mut self, store => store.collect(key, along));
    }

    /// How many states have been collected.
    pub fn collected(&self) -> usize {
        both!(self, store => store.collected())
    }

    /// Forgets what has been collected.
    pub fn drop_collected(&mut self) {
        both!(mut self, store => store.drop_collected());
    }

    /// Inserts what has been collected, in order; new states have that note. Tells the answers, with the number of bytes
    /// of each state; fewer than there are states if there is no room.
    #[inline]
    pub fn insert_collected(&mut self, note: u64, tell: impl FnMut(Insert, usize)) {
        both!(mut self, store => store.insert_collected(note, tell));
    }

    /// Looks for what has been collected without inserting it, and puts what was found into `out`.
    pub fn find_collected(&mut self, out: &mut Vec<Option<StateId>>) {
        out.clear();
        both!(mut self, store => store.find_collected(out));
    }

    /// Writes a state, with what goes along with it, to `out`.
    #[inline]
    pub fn load(&mut self, id: StateId, out: &mut Vec<u8>) {
        out.clear();
        both!(mut self, store => store.load(id, out));
    }

    /// The note of a state.
    #[inline]
    pub fn note(&self, id: StateId) -> u64 {
        both!(self, store => store.note(id))
    }

    /// Changes the note of a state.
    #[inline]
    pub fn set_note(&mut self, id: StateId, note: u64) {
        both!(mut self, store => store.set_note(id, note));
    }

    /// Changes the note of a state in one step, whatever other threads do, unless `change` gives `None`. Gives the note as
    /// it was: `Ok` if it was changed.
    #[inline]
    pub fn update_note(
        &self,
        id: StateId,
        change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        both!(self, store => store.update_note(id, change))
    }

    /// Number of states.
    pub fn len(&self) -> u64 {
        both!(self, store => store.len())
    }

    /// Whether nothing has been inserted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use, all included.
    pub fn bytes(&self) -> u64 {
        both!(self, store => store.bytes())
    }

    /// Why it is full, if it is.
    pub fn shortage(&self) -> Shortage {
        both!(self, store => store.shortage())
    }

    /// Changes the number of bytes it may use: a store shares its memory with a stack that grows and shrinks.
    pub fn set_limit(&mut self, bytes: u64) {
        both!(mut self, store => store.set_limit(bytes));
    }
}
