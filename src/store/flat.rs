//! The flat store: states as they are, in an append-only arena, found through an open-addressing table.
//!
//! A slot is one word: the offset of a record in its lower 40 bits, plus one so that 0 means empty, and the
//! upper 24 bits of the record's hash. A probe reads a record only when those 24 bits agree, so a lookup costs
//! one cache miss for a new state and two for a seen one; probing is linear, within a cache line mostly. Keys
//! are always compared byte for byte: the hash decides where to look, never what is equal.
//!
//! Both misses are waited for early: the slot of a state is prefetched when the state is made, and the records that
//! may be equal to those of a batch are prefetched together.
//!
//! The table grows when three quarters of it are used, to twice its size or, while it is small beside the states,
//! to four times. It is rebuilt from the arena, read front to back, so the old table is freed *before* the new one
//! is made: the peak is one table, not one and a half. When the memory limit forbids doubling, the table fills up to
//! fifteen sixteenths, and then the store is full.
//!
//! The hash is rapidhash V3: on vectors of 12 to 300 bytes with few differing bytes it was the fastest of
//! foldhash, ahash, xxh3 and rapidhash that stayed even in both the upper and lower bits, and it is specified,
//! so that figures can be reproduced elsewhere.

use super::arena::Arena;
use super::prefetch::prefetch;
use super::words::Words;
use super::{Insert, Notes, StateId};
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of an offset.
const OFFSET_BITS: u32 = 40;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
const TAG_MASK: u64 = !OFFSET_MASK;
const FIRST_SLOTS: usize = 1 << 12;
/// Records between the prefetch of a slot and its use when the table is rebuilt.
const AHEAD: usize = 16;
/// Cache lines of a record that are fetched before it is compared.
const RECORD_LINES: usize = 4;

/// A growing set of states.
#[derive(Debug)]
pub(super) struct FlatStore {
    slots: Words,
    arena: Arena,
    len: u64,
    /// Number of states at which the table is to be doubled.
    grow_at: u64,
    limit: u64,
    notes: Notes,
    batch: Batch,
}

/// States to be inserted together.
#[derive(Clone, Debug, Default)]
struct Batch {
    /// Keys, each followed by what goes along.
    bytes: Vec<u8>,
    /// Where each key and what goes along with it end.
    ends: Vec<(usize, usize)>,
    /// Hashes of the keys.
    hashes: Vec<u64>,
}

impl Batch {
    /// The key of a state, and what goes along with it.
    fn get(&self, index: usize) -> (&[u8], &[u8]) {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1].1,
        };
        let (key_end, end) = self.ends[index];
        (&self.bytes[start..key_end], &self.bytes[key_end..end])
    }
}

fn hash(key: &[u8]) -> u64 {
    rapidhash_v3_inline::<true, false, false>(key, &DEFAULT_RAPID_SECRETS)
}

impl FlatStore {
    pub(super) fn new(notes: Notes, along: usize, limit: u64) -> FlatStore {
        FlatStore {
            slots: Words::zeroed(FIRST_SLOTS),
            arena: Arena::new(along + notes.bytes()),
            notes,
            batch: Batch::default(),
            len: 0,
            grow_at: three_quarters(FIRST_SLOTS),
            limit,
        }
    }

    fn table_bytes(slots: usize) -> u64 {
        (slots * size_of::<u64>()) as u64
    }

    /// Makes room for one more state in the table, or says that there is none.
    fn make_room(&mut self) -> bool {
        let doubled = self.slots.len() * 2;
        if self.arena.bytes() + Self::table_bytes(doubled) > self.limit {
            let most = self.slots.len() as u64 / 16 * 15;
            self.grow_at = (self.len + self.slots.len() as u64 / 64).min(most);
            return self.len < most;
        }
        let doubled = self.next_size(doubled);
        self.slots = Words::zeroed(0);
        let slots = Words::zeroed(doubled);
        let mask = doubled - 1;
        // A slot is filled a few records after it was prefetched.
        let mut waiting = [(0, u64::MAX); AHEAD];
        let mut turn = 0;
        let fill = |(h, offset): (u64, u64)| {
            if offset == u64::MAX {
                return;
            }
            put(&slots, h, offset);
        };
        self.arena.for_each(|offset, key| {
            let h = hash(key);
            prefetch(&slots[h as usize & mask..], 1);
            let due = std::mem::replace(&mut waiting[turn], (h, offset));
            fill(due);
            turn = (turn + 1) % AHEAD;
        });
        for due in waiting {
            fill(due);
        }
        self.slots = slots;
        self.grow_at = three_quarters(doubled);
        true
    }

    /// Four times as large instead of twice, as long as the table is small beside the states: rebuilding it means to
    /// read them all.
    fn next_size(&self, doubled: usize) -> usize {
        let quadrupled = Self::table_bytes(doubled * 2);
        let arena = self.arena.bytes();
        if quadrupled <= arena / 4 && arena + quadrupled <= self.limit / 2 {
            doubled * 2
        } else {
            doubled
        }
    }

    fn add(&mut self, h: u64, key: &[u8], along: &[u8], note: u64) -> Insert {
        let Some(record) = self.arena.record_len(key) else {
            return Insert::Full;
        };
        if self.bytes() + record as u64 > self.limit
            || (self.len >= self.grow_at && !self.make_room())
        {
            return Insert::Full;
        }
        let note = &note.to_le_bytes()[..self.notes.bytes()];
        let offset = self.arena.push(key, along, note, record);
        if offset + 1 > OFFSET_MASK {
            return Insert::Full;
        }
        put(&self.slots, h, offset);
        self.len += 1;
        Insert::New(StateId(offset + 1))
    }
}

/// Writes the offset of a record with that hash into the next free slot.
fn put(slots: &[AtomicU64], h: u64, offset: u64) {
    let mask = slots.len() - 1;
    let mut at = h as usize & mask;
    while slots[at].load(Ordering::Relaxed) != 0 {
        at = (at + 1) & mask;
    }
    let slot = (h & TAG_MASK) | (offset + 1);
    slots[at].store(slot, Ordering::Relaxed);
}

fn three_quarters(slots: usize) -> u64 {
    slots as u64 / 4 * 3
}

impl FlatStore {
    #[inline]
    fn find(&self, h: u64, key: &[u8]) -> Option<StateId> {
        let slots: &[AtomicU64] = &self.slots;
        let mask = slots.len() - 1;
        let mut at = h as usize & mask;
        loop {
            let slot = slots[at].load(Ordering::Relaxed);
            if slot == 0 {
                return None;
            }
            if (slot ^ h) & TAG_MASK == 0 {
                let offset = (slot & OFFSET_MASK) - 1;
                if self.arena.key(offset) == key {
                    return Some(StateId(offset + 1));
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Sends for the records that may be those of a batch, all at once.
    fn expect(&self) {
        let slots: &[AtomicU64] = &self.slots;
        for &h in &self.batch.hashes {
            let slot = slots[h as usize & (slots.len() - 1)].load(Ordering::Relaxed);
            if slot != 0 && (slot ^ h) & TAG_MASK == 0 {
                prefetch(self.arena.at((slot & OFFSET_MASK) - 1), RECORD_LINES);
            }
        }
    }
}

/// What every store can do: see [`ExactStore`](super::ExactStore).
impl FlatStore {
    #[inline]
    pub(super) fn collect(&mut self, key: &[u8], along: &[u8]) {
        let h = hash(key);
        let slots: &[AtomicU64] = &self.slots;
        prefetch(&slots[h as usize & (slots.len() - 1)..], 1);
        let batch = &mut self.batch;
        batch.hashes.push(h);
        batch.bytes.extend_from_slice(key);
        let key_end = batch.bytes.len();
        batch.bytes.extend_from_slice(along);
        batch.ends.push((key_end, batch.bytes.len()));
    }

    pub(super) fn collected(&self) -> usize {
        self.batch.ends.len()
    }

    pub(super) fn drop_collected(&mut self) {
        self.batch.bytes.clear();
        self.batch.ends.clear();
        self.batch.hashes.clear();
    }

    /// The home slots have been on their way since the states were collected. Now the records that may be equal are
    /// sent for, and only then is anything compared.
    pub(super) fn insert_collected(&mut self, note: u64, mut tell: impl FnMut(Insert, usize)) {
        self.expect();
        let batch = std::mem::take(&mut self.batch);
        for (index, &h) in batch.hashes.iter().enumerate() {
            let (key, along) = batch.get(index);
            let answer = match self.find(h, key) {
                Some(id) => Insert::Seen(id),
                None => self.add(h, key, along, note),
            };
            tell(answer, key.len());
            if answer == Insert::Full {
                break;
            }
        }
        self.batch = batch;
        self.drop_collected();
    }

    pub(super) fn find_collected(&mut self, out: &mut Vec<Option<StateId>>) {
        self.expect();
        let hashes = self.batch.hashes.iter().enumerate();
        out.extend(hashes.map(|(index, &h)| self.find(h, self.batch.get(index).0)));
    }

    pub(super) fn load(&self, id: StateId, out: &mut Vec<u8>) {
        let offset = id.0 - 1;
        out.extend_from_slice(self.arena.key(offset));
        let extra = self.arena.extra(offset);
        out.extend_from_slice(&extra[..extra.len() - self.notes.bytes()]);
    }

    #[inline]
    pub(super) fn note(&self, id: StateId) -> u64 {
        let extra = self.arena.extra(id.0 - 1);
        let note = &extra[extra.len() - self.notes.bytes()..];
        let mut bytes = [0; 8];
        bytes[..note.len()].copy_from_slice(note);
        u64::from_le_bytes(bytes)
    }

    #[inline]
    pub(super) fn set_note(&mut self, id: StateId, note: u64) {
        let width = self.notes.bytes();
        let extra = self.arena.extra_mut(id.0 - 1);
        let at = extra.len() - width;
        extra[at..].copy_from_slice(&note.to_le_bytes()[..width]);
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn bytes(&self) -> u64 {
        self.arena.bytes() + Self::table_bytes(self.slots.len())
    }

    pub(super) fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
    }
}
