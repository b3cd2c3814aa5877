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
//! Threads insert at the same time, without waiting for each other: a record is written to a place that no other thread
//! knows, then a slot is taken for it (see [`super::slots`]). Each thread has its own [`FlatStore`], a view of what they share.
//!
//! The table grows when three quarters of it are used, to twice its size or, while it is small beside the states,
//! to four times. It is rebuilt from the arena, read front to back, so the old table is freed *before* the new one
//! is written: the peak is one table, not one and a half. No other thread may use the table meanwhile: that is what
//! the lock is for, which is only ever taken for a whole batch. When the memory limit or
//! the system forbids doubling, the table fills up to fifteen sixteenths, and then the store is full.
//!
//! The hash is rapidhash V3: on vectors of 12 to 300 bytes with few differing bytes it was the fastest of
//! foldhash, ahash, xxh3 and rapidhash that stayed even in both the upper and lower bits, and it is specified,
//! so that figures can be reproduced elsewhere.

use super::arena::{Arena, OFFSET_BITS, Pen};
use super::prefetch::{LINE, prefetch_at};
use super::same::is_equal;
use super::slots::{Probe, Slot, probe};
use super::words::Words;
use super::{Insert, Notes, Shortage, StateId};
use crate::checkpoint::{In, Out, Persist, misfit, no_memory};
use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
const TAG_MASK: u64 = !OFFSET_MASK;
const FIRST_SLOTS: usize = 1 << 12;
/// Records between the prefetch of a slot and its use when the table is rebuilt.
const AHEAD: usize = 16;
/// Cache lines of a record that are fetched before it is compared.
const RECORD_LINES: usize = 4;

/// What all threads share.
#[derive(Debug)]
struct Contents {
    table: ShardedLock<Words>,
    /// Held by the one who sees to it that the table grows: the others wait for it here, where they are in nobody's way.
    growing: Mutex<()>,
    arena: Arena,
    /// Number of states, those included that are being inserted.
    len: AtomicU64,
    /// Number of states at which the table is to grow.
    grow_at: AtomicU64,
    table_bytes: AtomicU64,
    limit: AtomicU64,
    /// Whether the system has refused memory.
    refused: AtomicBool,
}

/// A growing set of states, as one thread sees it.
#[derive(Clone, Debug)]
pub(super) struct FlatStore {
    contents: Arc<Contents>,
    pen: Pen,
    batch: Batch,
    hint: Hint,
}

/// The table, while it cannot grow.
type Table<'t> = ShardedLockReadGuard<'t, Words>;

/// A state to be stored.
struct Record<'r> {
    key: &'r [u8],
    along: &'r [u8],
    note: u64,
    h: u64,
}

/// Where the table was when last looked up: used for prefetching only.
#[derive(Copy, Clone, Debug, Default)]
struct Hint {
    slots: usize,
    mask: usize,
}

impl Hint {
    /// Starts to bring the home of a hash into the cache.
    #[inline(always)]
    fn prefetch(self, h: u64) {
        prefetch_at(self.slots + (h as usize & self.mask) * size_of::<u64>());
    }

    fn of(table: &Words) -> Hint {
        Hint {
            slots: table.as_ptr() as usize,
            mask: table.len() - 1,
        }
    }
}

/// States to be inserted together.
#[derive(Clone, Debug, Default)]
struct Batch {
    /// Keys, each followed by what goes along.
    bytes: Vec<u8>,
    states: Vec<Collected>,
}

/// A state to be inserted: the hash of its key, where the key ends, and where what goes along with it ends.
#[derive(Copy, Clone, Debug)]
struct Collected {
    h: u64,
    key_end: usize,
    end: usize,
}

impl Batch {
    /// The hash and the key of each state, and what goes along with it.
    #[inline]
    fn iter(&self) -> impl Iterator<Item = (u64, &[u8], &[u8])> {
        let mut rest = self.bytes.as_slice();
        let mut start = 0;
        self.states
            .iter()
            .map(move |&Collected { h, key_end, end }| {
                let (state, others) = rest.split_at(end - start);
                let (key, along) = state.split_at(key_end - start);
                (rest, start) = (others, end);
                (h, key, along)
            })
    }
}

fn hash(key: &[u8]) -> u64 {
    rapidhash_v3_inline::<true, false, false>(key, &DEFAULT_RAPID_SECRETS)
}

/// The word of a record with that hash at that offset.
fn word(h: u64, offset: u64) -> u64 {
    (h & TAG_MASK) | (offset + 1)
}

fn offset_of(word: u64) -> u64 {
    (word & OFFSET_MASK) - 1
}

/// The state whose word that is.
fn id_of(word: u64) -> StateId {
    StateId(offset_of(word) + 1)
}

fn three_quarters(slots: usize) -> u64 {
    slots as u64 / 4 * 3
}

fn table_bytes(slots: usize) -> u64 {
    (slots * size_of::<u64>()) as u64
}

impl Contents {
    fn read(&self) -> Table<'_> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self) -> u64 {
        self.arena.bytes() + self.table_bytes.load(Ordering::Relaxed)
    }

    /// Sends for the records that may have those hashes, all at once.
    #[inline]
    fn expect(&self, slots: &[AtomicU64], states: &[Collected]) {
        for &Collected { h, .. } in states {
            let word = slots[h as usize & (slots.len() - 1)].get();
            if word != 0 && (word ^ h) & TAG_MASK == 0 {
                let address = self.arena.address(offset_of(word));
                for line in 0..RECORD_LINES {
                    prefetch_at(address + line * LINE);
                }
            }
        }
    }

    /// Whether the table should grow before anything is added.
    fn is_crowded(&self) -> bool {
        self.len.load(Ordering::Relaxed) > self.grow_at.load(Ordering::Relaxed)
    }

    /// Looks for a key from a slot on.
    #[inline(always)]
    fn probe(&self, slots: &[AtomicU64], from: usize, h: u64, key: &[u8]) -> Probe {
        probe(slots, from, |word| {
            (word ^ h) & TAG_MASK == 0 && is_equal(self.arena.key(offset_of(word)), key)
        })
    }

    /// Adds a state that was not there when the search for it ended at a free slot. The table may be another one afterwards.
    #[inline(never)]
    fn add<'t>(
        &'t self,
        mut table: Table<'t>,
        mut at: usize,
        record: &Record<'_>,
        pen: &mut Pen,
        views: usize,
    ) -> (Table<'t>, Insert) {
        while self.is_crowded() {
            let size = table.len();
            drop(table);
            let room = self.make_room(size, views);
            table = self.read();
            if !room {
                return (table, Insert::Full);
            }
            at = record.h as usize;
        }
        let Some((offset, len)) = self.write(pen, record) else {
            return (table, Insert::Full);
        };
        loop {
            match self.probe(&table, at, record.h, record.key) {
                // Another thread was faster.
                Probe::Found(word) => {
                    self.arena.take_back(pen, len);
                    return (table, Insert::Seen(id_of(word)));
                }
                Probe::Free(free) if table[free].take(word(record.h, offset)) => {
                    return (table, Insert::New(StateId(offset + 1)));
                }
                Probe::Free(free) => at = free,
            }
        }
    }

    /// Writes a record that is not published yet: its offset and length. `None` if there is no room.
    fn write(&self, pen: &mut Pen, record: &Record<'_>) -> Option<(u64, usize)> {
        let Record {
            key, along, note, ..
        } = *record;
        let len = self.arena.record_len(key)?;
        if self.bytes() + len as u64 > self.limit.load(Ordering::Relaxed) {
            return None;
        }
        let Some(offset) = self.arena.push(pen, key, along, note, len) else {
            self.refused.store(true, Ordering::Relaxed);
            return None;
        };
        Some((offset, len))
    }

    /// Makes room for more states in a table of that size, unless that has been done, or says that there is none.
    #[cold]
    fn make_room(&self, size: usize, threads: usize) -> bool {
        let _growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.read().len() != size || !self.is_crowded() {
            return true;
        }
        let limit = self.limit.load(Ordering::Relaxed);
        let doubled = size * 2;
        let Some(slots) = self.larger_table(doubled, limit) else {
            let most = size as u64 / 16 * 15;
            let len = self.len.load(Ordering::Relaxed);
            let next = (len + size as u64 / 64).min(most);
            self.grow_at.store(next, Ordering::Relaxed);
            return len < most;
        };
        let size = slots.len();
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        *table = Words::few(0);
        self.fill(&slots, threads);
        *table = slots;
        self.table_bytes.store(table_bytes(size), Ordering::Relaxed);
        self.grow_at.store(three_quarters(size), Ordering::Relaxed);
        true
    }

    /// An empty table of twice the size, or more; `None` if the limit forbids it or the system refuses it. Its pages are
    /// handed out when they are first written, so it takes no memory yet.
    fn larger_table(&self, doubled: usize, limit: u64) -> Option<Words> {
        if self.arena.bytes() + table_bytes(doubled) > limit {
            return None;
        }
        let size = self.next_size(doubled, limit);
        let slots = Words::zeroed(size).or_else(|| Words::zeroed(doubled));
        if slots.is_none() {
            self.refused.store(true, Ordering::Relaxed);
        }
        slots
    }

    /// Four times as large instead of twice, as long as the table is small beside the states: rebuilding it means to
    /// read them all.
    fn next_size(&self, doubled: usize, limit: u64) -> usize {
        let quadrupled = table_bytes(doubled * 2);
        let arena = self.arena.bytes();
        if quadrupled <= arena / 4 && arena + quadrupled <= limit / 2 {
            doubled * 2
        } else {
            doubled
        }
    }
}

/// Rebuilding the table.
impl Contents {
    /// Puts all states into an empty table, by so many threads: all who search wait for it.
    fn fill(&self, slots: &Words, threads: usize) {
        let next = AtomicU32::new(0);
        let fill = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.arena.chunks() {
                    return;
                }
                self.fill_from(number, slots);
            }
        };
        std::thread::scope(|scope| {
            let helpers = threads.min(self.arena.chunks() as usize);
            for _ in 1..helpers {
                // Where no thread can be had, the others do its part.
                let _ = std::thread::Builder::new().spawn_scoped(scope, fill);
            }
            fill();
        });
    }

    /// Puts the states of a chunk of the arena into a table, each a few records after its slot was prefetched.
    fn fill_from(&self, chunk: u32, slots: &[AtomicU64]) {
        let hint = Hint {
            slots: slots.as_ptr() as usize,
            mask: slots.len() - 1,
        };
        let mut waiting = [None; AHEAD];
        let mut turn = 0;
        self.arena.for_each(chunk, |offset, key| {
            let h = hash(key);
            hint.prefetch(h);
            if let Some((h, offset)) = waiting[turn].replace((h, offset)) {
                put(slots, h, offset);
            }
            turn = (turn + 1) % AHEAD;
        });
        for (h, offset) in waiting.into_iter().flatten() {
            put(slots, h, offset);
        }
    }
}

/// Writes the word of a record that is not there into the next free slot.
fn put(slots: &[AtomicU64], h: u64, offset: u64) {
    let mut from = h as usize;
    while let Probe::Free(at) = probe(slots, from, |_| false) {
        if slots[at].take(word(h, offset)) {
            return;
        }
        from = at;
    }
}

impl FlatStore {
    pub(super) fn new(notes: Notes, along: usize, limit: u64) -> FlatStore {
        let table = Words::few(FIRST_SLOTS);
        FlatStore {
            hint: Hint::of(&table),
            contents: Arc::new(Contents {
                table_bytes: AtomicU64::new(table.bytes()),
                table: ShardedLock::new(table),
                growing: Mutex::new(()),
                arena: Arena::new(notes, along),
                len: AtomicU64::new(0),
                grow_at: AtomicU64::new(three_quarters(FIRST_SLOTS)),
                limit: AtomicU64::new(limit),
                refused: AtomicBool::new(false),
            }),
            pen: Pen::default(),
            batch: Batch::default(),
        }
    }
}

/// Checkpoints: the states are written, and the table is made anew.
impl FlatStore {
    pub(super) fn save(&self, out: &mut Out) -> io::Result<()> {
        self.len().save(out)?;
        self.contents.read().len().save(out)?;
        self.contents.arena.save(out)
    }

    pub(super) fn restored(
        notes: Notes,
        along: usize,
        limit: u64,
        input: &mut In,
    ) -> io::Result<FlatStore> {
        let len = u64::load(input)?;
        let slots = usize::load(input)?;
        if !slots.is_power_of_two() || slots < FIRST_SLOTS || len > slots as u64 / 16 * 15 {
            return Err(misfit());
        }
        let mut store = FlatStore::new(notes, along, limit);
        let arena = Arena::load(notes, along, input)?;
        let table = Words::zeroed(slots).ok_or_else(no_memory)?;
        let contents = Arc::get_mut(&mut store.contents).ok_or_else(misfit)?;
        contents.arena = arena;
        contents.fill(&table, 1);
        store.hint = Hint::of(&table);
        contents.table_bytes = AtomicU64::new(table_bytes(slots));
        contents.grow_at = AtomicU64::new(three_quarters(slots));
        contents.len = AtomicU64::new(len);
        contents.table = ShardedLock::new(table);
        Ok(store)
    }
}

/// What every store can do: see [`ExactStore`](super::ExactStore).
impl FlatStore {
    #[inline]
    pub(super) fn collect(&mut self, key: &[u8], along: &[u8]) {
        let h = hash(key);
        self.hint.prefetch(h);
        let batch = &mut self.batch;
        batch.bytes.extend_from_slice(key);
        let key_end = batch.bytes.len();
        if !along.is_empty() {
            batch.bytes.extend_from_slice(along);
        }
        let end = batch.bytes.len();
        batch.states.push(Collected { h, key_end, end });
    }

    pub(super) fn collected(&self) -> usize {
        self.batch.states.len()
    }

    pub(super) fn drop_collected(&mut self) {
        self.batch.bytes.clear();
        self.batch.states.clear();
    }

    /// The home slots have been on their way since the states were collected. Now the records that may be equal are
    /// sent for, and only then is anything compared.
    pub(super) fn insert_collected(&mut self, note: u64, mut tell: impl FnMut(Insert, usize)) {
        let FlatStore {
            contents,
            pen,
            batch,
            hint,
        } = self;
        let views = Arc::strong_count(contents);
        let contents: &Contents = contents;
        let mut table = contents.read();
        contents.expect(&table, &batch.states);
        // All are taken for new at first: so the slots can never run out, however many threads insert.
        let count = batch.states.len() as u64;
        contents.len.fetch_add(count, Ordering::Relaxed);
        let mut new = 0;
        for (h, key, along) in batch.iter() {
            let answer = match contents.probe(&table, h as usize, h, key) {
                Probe::Found(word) => Insert::Seen(id_of(word)),
                Probe::Free(at) => {
                    let record = Record {
                        key,
                        along,
                        note,
                        h,
                    };
                    let answer;
                    (table, answer) = contents.add(table, at, &record, pen, views);
                    answer
                }
            };
            new += u64::from(matches!(answer, Insert::New(_)));
            tell(answer, key.len());
            if answer == Insert::Full {
                break;
            }
        }
        contents.len.fetch_sub(count - new, Ordering::Relaxed);
        *hint = Hint::of(&table);
        drop(table);
        self.drop_collected();
    }

    pub(super) fn find_collected(&mut self, out: &mut Vec<Option<StateId>>) {
        let contents = &*self.contents;
        let table = contents.read();
        self.hint = Hint::of(&table);
        contents.expect(&table, &self.batch.states);
        out.extend(self.batch.iter().map(|(h, key, _)| {
            match contents.probe(&table, h as usize, h, key) {
                Probe::Found(word) => Some(id_of(word)),
                Probe::Free(_) => None,
            }
        }));
    }

    #[inline]
    pub(super) fn load(&self, id: StateId, out: &mut Vec<u8>) {
        let arena = &self.contents.arena;
        out.extend_from_slice(arena.key(id.0 - 1));
        out.extend_from_slice(arena.along(id.0 - 1));
    }

    #[inline]
    pub(super) fn note(&self, id: StateId) -> u64 {
        self.contents.arena.note(id.0 - 1)
    }

    #[inline]
    pub(super) fn set_note(&mut self, id: StateId, note: u64) {
        self.contents.arena.set_note(id.0 - 1, note);
    }

    #[inline]
    pub(super) fn update_note(
        &self,
        id: StateId,
        change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        self.contents.arena.update_note(id.0 - 1, change)
    }

    pub(super) fn len(&self) -> u64 {
        self.contents.len.load(Ordering::Relaxed)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.contents.bytes()
    }

    pub(super) fn shortage(&self) -> Shortage {
        match self.contents.refused.load(Ordering::Relaxed) {
            true => Shortage::System,
            false => Shortage::Limit,
        }
    }

    pub(super) fn set_limit(&mut self, bytes: u64) {
        self.contents.limit.store(bytes, Ordering::Relaxed);
    }
}
