//! The exact store: an open-addressing table over an append-only arena.
//!
//! A slot is one word: the offset of a record in its lower 40 bits, plus one so that 0 means empty, and the
//! upper 24 bits of the record's hash. A probe reads a record only when those 24 bits agree, so a lookup costs
//! one cache miss for a new state and two for a seen one; probing is linear, within a cache line mostly. Keys
//! are always compared byte for byte: the hash decides where to look, never what is equal.
//!
//! The table doubles when three quarters of it are used. It is rebuilt from the arena, read front to back, so
//! the old table is freed *before* the new one is made: the peak is one table, not one and a half. When the
//! memory limit forbids doubling, the table fills up to fifteen sixteenths, and then the store is full.
//!
//! The hash is rapidhash V3: on vectors of 12 to 300 bytes with few differing bytes it was the fastest of
//! foldhash, ahash, xxh3 and rapidhash that stayed even in both the upper and lower bits, and it is specified,
//! so that figures can be reproduced elsewhere.

use super::arena::Arena;
use super::{Batch, Insert, StateId, Store};
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

const OFFSET_MASK: u64 = (1 << StateId::BITS) - 1;
const TAG_MASK: u64 = !OFFSET_MASK;
const FIRST_SLOTS: usize = 1 << 12;

/// A growing, exact set of states.
#[derive(Debug)]
pub struct ExactStore {
    slots: Box<[u64]>,
    arena: Arena,
    len: u64,
    /// Number of states at which the table is to be doubled.
    grow_at: u64,
    limit: u64,
}

fn hash(key: &[u8]) -> u64 {
    rapidhash_v3_inline::<true, false, false>(key, &DEFAULT_RAPID_SECRETS)
}

impl ExactStore {
    /// An empty store whose states have `extra` extra bytes, and which stays below `limit` bytes.
    pub fn new(extra: usize, limit: u64) -> ExactStore {
        ExactStore {
            slots: vec![0; FIRST_SLOTS].into_boxed_slice(),
            arena: Arena::new(extra),
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
        self.slots = Box::default();
        let mut slots = vec![0u64; doubled].into_boxed_slice();
        let mask = doubled - 1;
        self.arena.for_each(|offset, key| {
            let h = hash(key);
            let mut at = h as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = (h & TAG_MASK) | (offset + 1);
        });
        self.slots = slots;
        self.grow_at = three_quarters(doubled);
        true
    }

    fn add(&mut self, h: u64, key: &[u8], extra: &[u8]) -> Insert {
        let Some(record) = self.arena.record_len(key) else {
            return Insert::Full;
        };
        if self.bytes() + record as u64 > self.limit
            || (self.len >= self.grow_at && !self.make_room())
        {
            return Insert::Full;
        }
        let offset = self.arena.push(key, extra, record);
        if offset + 1 > OFFSET_MASK {
            return Insert::Full;
        }
        let mask = self.slots.len() - 1;
        let mut at = h as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = (h & TAG_MASK) | (offset + 1);
        self.len += 1;
        Insert::New(StateId(offset))
    }
}

fn three_quarters(slots: usize) -> u64 {
    slots as u64 / 4 * 3
}

impl ExactStore {
    fn find(&self, key: &[u8]) -> Option<StateId> {
        let h = hash(key);
        let mask = self.slots.len() - 1;
        let mut at = h as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            let offset = (slot & OFFSET_MASK) - 1;
            if (slot ^ h) & TAG_MASK == 0 && self.arena.key(offset) == key {
                return Some(StateId(offset));
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn insert_hashed(&mut self, h: u64, key: &[u8], extra: &[u8]) -> Insert {
        let mask = self.slots.len() - 1;
        let mut at = h as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return self.add(h, key, extra);
            }
            if (slot ^ h) & TAG_MASK == 0 {
                let offset = (slot & OFFSET_MASK) - 1;
                if self.arena.key(offset) == key {
                    return Insert::Seen(StateId(offset));
                }
            }
            at = (at + 1) & mask;
        }
    }
}

impl Store for ExactStore {
    fn insert(&mut self, key: &[u8], extra: &[u8]) -> Insert {
        self.insert_hashed(hash(key), key, extra)
    }

    /// In three rounds, so that the processor can overlap the cache misses of each: the home slots of all
    /// states are read, then a byte of every record that may be the one, and only then is anything compared.
    fn insert_all(&mut self, batch: &mut Batch) {
        let mask = self.slots.len() - 1;
        batch.answers.clear();
        batch.hashes.clear();
        for index in 0..batch.len() {
            batch.hashes.push(hash(batch.get(index).0));
        }
        let mut touched = 0;
        for &h in &batch.hashes {
            let slot = self.slots[h as usize & mask];
            if slot != 0 && (slot ^ h) & TAG_MASK == 0 {
                touched ^= self.arena.touch((slot & OFFSET_MASK) - 1);
            }
        }
        std::hint::black_box(touched);
        for index in 0..batch.len() {
            let (key, extra) = batch.get(index);
            let answer = self.insert_hashed(batch.hashes[index], key, extra);
            batch.answers.push(answer);
            if answer == Insert::Full {
                return;
            }
        }
    }

    fn find_all(&self, batch: &Batch, out: &mut Vec<Option<StateId>>) {
        out.clear();
        out.extend((0..batch.len()).map(|index| self.find(batch.get(index).0)));
    }

    fn key(&self, id: StateId) -> &[u8] {
        self.arena.key(id.0)
    }

    fn extra(&self, id: StateId) -> &[u8] {
        self.arena.extra(id.0)
    }

    fn extra_mut(&mut self, id: StateId) -> &mut [u8] {
        self.arena.extra_mut(id.0)
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn bytes(&self) -> u64 {
        self.arena.bytes() + Self::table_bytes(self.slots.len())
    }

    fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
    }

    fn name(&self) -> &'static str {
        "exact"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// The store agrees with a map from keys to (identity, first extra bytes), whatever is inserted.
        #[test]
        fn agrees_with_a_map(
            keys in prop::collection::vec(prop::collection::vec(0u8..3, 0..7), 0..800),
            extra in 0usize..4,
            size in 1usize..9,
        ) {
            let mut store = ExactStore::new(extra, u64::MAX);
            let mut map: HashMap<Vec<u8>, (StateId, Vec<u8>)> = HashMap::new();
            for (i, keys) in keys.chunks(size).enumerate() {
                let extra = vec![i as u8; extra];
                let mut batch = Batch::default();
                for key in keys {
                    batch.push(key, &extra, &[]);
                }
                store.insert_all(&mut batch);
                prop_assert_eq!(batch.answers().len(), keys.len());
                for (key, answer) in keys.iter().zip(batch.answers()) {
                    let known = map.get(key).map(|e| e.0);
                    match *answer {
                        Insert::New(id) => {
                            prop_assert_eq!(known, None);
                            map.insert(key.clone(), (id, extra.clone()));
                        }
                        Insert::Seen(id) => prop_assert_eq!(known, Some(id)),
                        Insert::Full => prop_assert!(false, "full without a limit"),
                    }
                    prop_assert_eq!(store.insert(key, &extra), Insert::Seen(map[key].0));
                }
            }
            prop_assert_eq!(store.len(), map.len() as u64);
            for (key, (id, extra)) in &map {
                prop_assert_eq!(store.key(*id), key.as_slice());
                prop_assert_eq!(store.extra(*id), extra.as_slice());
            }
        }
    }

    #[test]
    fn survives_growth_and_chunk_boundaries() {
        let mut store = ExactStore::new(1, u64::MAX);
        let state = |i: u32| {
            let mut v = vec![0u8; 40 + (i % 300) as usize * 7];
            v[..4].copy_from_slice(&i.to_le_bytes());
            v
        };
        let ids: Vec<StateId> = (0..40_000)
            .map(|i| match store.insert(&state(i), &[i as u8]) {
                Insert::New(id) => id,
                other => panic!("state {i}: {other:?}"),
            })
            .collect();
        for (i, id) in ids.iter().enumerate() {
            let i = i as u32;
            assert_eq!(store.insert(&state(i), &[0]), Insert::Seen(*id));
            assert_eq!(store.key(*id), state(i));
            assert_eq!(store.extra(*id), [i as u8]);
        }
    }

    #[test]
    fn stays_below_its_limit_and_still_knows_what_it_has() {
        let limit = 300_000;
        let mut store = ExactStore::new(0, limit);
        let mut stored = 0u32;
        while let Insert::New(_) = store.insert(&stored.to_le_bytes(), &[]) {
            stored += 1;
        }
        assert!(stored > 10_000, "{stored}");
        assert!(store.bytes() <= limit);
        assert!(matches!(
            store.insert(&7u32.to_le_bytes(), &[]),
            Insert::Seen(_)
        ));
        assert_eq!(store.insert(&u32::MAX.to_le_bytes(), &[]), Insert::Full);
    }

    #[test]
    fn a_key_that_fits_no_chunk_is_refused() {
        let mut store = ExactStore::new(0, u64::MAX);
        assert_eq!(store.insert(&vec![1; 1 << 25], &[]), Insert::Full);
        assert!(matches!(
            store.insert(&vec![1; 1 << 20], &[]),
            Insert::New(_)
        ));
    }

    #[test]
    fn ids_survive_packing() {
        for raw in [0, 1, 0xff_ffff_fffe] {
            let id = StateId::from_raw(raw);
            assert_eq!(StateId::from_bytes(id.to_bytes()), id);
        }
    }
}
