//! Texts for numbers: every different text of sixteen bytes gets a number below 2^29, and the number gives the text back.
//!
//! The texts lie in the order of their numbers in chunks that never move, each twice as long as the one before, so that a
//! number is turned back into its text without asking anybody. An index finds the number of a text: open addressing, a slot
//! is a number and 34 bits of the text's hash. Threads add texts at the same time: a text is written first, then its number
//! is put into an empty slot in one step; who comes second takes the number he finds there (his own is lost, which is rare).
//! Only when the index grows must everybody else be out of it: that is what the lock is for, which readers hardly notice.

use super::prefetch::prefetch_at;
use super::room::Room;
use super::tree::escape::ESCAPE;
use super::words::Words;
use crossbeam_utils::sync::ShardedLock;
use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bits of a number, with the one that marks an escape.
pub(super) const BITS: u32 = 30;
const NUMBER: u64 = (1 << BITS) - 1;
/// Numbers of the first chunk.
const FIRST: u32 = 1 << 9;
const CHUNKS: usize = (BITS - FIRST.trailing_zeros() + 1) as usize;
const FIRST_SLOTS: usize = 1 << 10;

/// Sixteen bytes, as two words.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) u64, pub(super) u64);

impl Text {
    /// At most four numbers.
    #[inline(always)]
    pub(super) fn of_numbers(numbers: &[u32]) -> Text {
        let number = |at: usize| numbers.get(at).map_or(0, |&n| u64::from(n));
        Text(number(0) << 32 | number(1), number(2) << 32 | number(3))
    }

    #[inline(always)]
    pub(super) fn numbers(self) -> [u32; 4] {
        let Text(left, right) = self;
        [
            (left >> 32) as u32,
            left as u32,
            (right >> 32) as u32,
            right as u32,
        ]
    }

    #[inline(always)]
    pub(super) fn of_bytes(bytes: [u8; 16]) -> Text {
        let word = u128::from_le_bytes(bytes);
        Text(word as u64, (word >> 64) as u64)
    }

    #[inline(always)]
    pub(super) fn bytes(self) -> [u8; 16] {
        (u128::from(self.1) << 64 | u128::from(self.0)).to_le_bytes()
    }

    #[inline(always)]
    pub(super) fn hash(self) -> u64 {
        let product =
            u128::from(self.0 ^ 0x9e37_79b9_7f4a_7c15) * u128::from(self.1 ^ 0xd1b5_4a32_d192_ed03);
        let folded = product as u64 ^ (product >> 64) as u64;
        (folded ^ self.0.rotate_left(32)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }
}

/// Where the index was when somebody last looked: good for nothing but prefetching.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Hint {
    slots: usize,
    mask: usize,
}

#[derive(Debug)]
pub(super) struct Interner {
    chunks: [OnceLock<Words>; CHUNKS],
    /// The number given out last; 0 is nobody's.
    last: AtomicU32,
    index: ShardedLock<Words>,
}

/// The chunk of a number, and its place in it: chunk 0 has the first `FIRST` numbers, chunk k those from `FIRST << (k - 1)`.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let chunk = (u32::BITS - (number / FIRST).leading_zeros()) as usize;
    let start = if chunk == 0 { 0 } else { FIRST << (chunk - 1) };
    (chunk, (number - start) as usize)
}

fn chunk_len(chunk: usize) -> usize {
    FIRST as usize * if chunk == 0 { 1 } else { 1 << (chunk - 1) }
}

impl Interner {
    pub(super) fn new(room: &Room) -> Interner {
        let index = Words::zeroed(FIRST_SLOTS);
        room.count(index.bytes());
        Interner {
            chunks: [const { OnceLock::new() }; CHUNKS],
            last: AtomicU32::new(0),
            index: ShardedLock::new(index),
        }
    }

    /// The text of a number that was given out.
    #[inline]
    pub(super) fn text(&self, number: u32) -> Text {
        let (chunk, at) = place(number);
        match self.chunks[chunk].get() {
            Some(words) => Text(
                words[2 * at].load(Ordering::Relaxed),
                words[2 * at + 1].load(Ordering::Relaxed),
            ),
            None => Text::default(),
        }
    }

    /// Starts to bring the slot of a text into the cache.
    #[inline]
    pub(super) fn prefetch(text: Text, hint: Hint) {
        let at = text.hash() as usize & hint.mask;
        prefetch_at(hint.slots + at * size_of::<u64>());
    }

    /// Starts to bring into the cache what the slots of texts lead to.
    pub(super) fn prefetch_texts(&self, texts: impl Iterator<Item = Text>, hint: &mut Hint) {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        let slots: &[AtomicU64] = &index;
        let mask = slots.len() - 1;
        *hint = Hint {
            slots: slots.as_ptr() as usize,
            mask,
        };
        for text in texts {
            let h = text.hash();
            let slot = slots[h as usize & mask].load(Ordering::Relaxed);
            if slot != 0 && (slot ^ h) & !NUMBER == 0 {
                let (chunk, at) = place((slot & NUMBER) as u32);
                if let Some(words) = self.chunks[chunk].get() {
                    prefetch_at(&raw const words[2 * at] as usize);
                }
            }
        }
    }

    /// The number of a text with that hash; `None` when there is no room for it.
    pub(super) fn number(&self, text: Text, h: u64, room: &Room) -> Option<u32> {
        let mut mine = None;
        let mut refused = false;
        loop {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            let slots: &[_] = &index;
            let mask = slots.len() - 1;
            let mut at = h as usize & mask;
            loop {
                let slot = slots[at].load(Ordering::Acquire);
                if slot == 0 {
                    break;
                }
                let number = (slot & NUMBER) as u32;
                if (slot ^ h) & !NUMBER == 0 && self.text(number) == text {
                    return Some(number);
                }
                at = (at + 1) & mask;
            }
            let number = match mine {
                Some(number) => number,
                None if self.is_crowded(slots.len(), 12) && !refused => {
                    let len = slots.len();
                    drop(index);
                    refused = !self.grow(len, room);
                    continue;
                }
                None if self.is_crowded(slots.len(), 15) => return None,
                None => self.add(text, room)?,
            };
            mine = Some(number);
            let slot = h & !NUMBER | u64::from(number);
            let empty = 0;
            // On failure somebody took the slot meanwhile, perhaps with the same text: look again.
            if slots[at]
                .compare_exchange(empty, slot, Ordering::Release, Ordering::Relaxed)
                .is_ok()
            {
                return Some(number);
            }
        }
    }

    /// Whether so many sixteenths of so many slots are taken.
    fn is_crowded(&self, slots: usize, sixteenths: usize) -> bool {
        self.last.load(Ordering::Relaxed) as usize >= slots / 16 * sixteenths
    }

    /// Gives a text the next number. A number for which there is no room is lost: another thread may have the one after it.
    fn add(&self, text: Text, room: &Room) -> Option<u32> {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        if number >= ESCAPE {
            return None;
        }
        let (chunk, at) = place(number);
        let words = self.chunk(chunk, room)?;
        words[2 * at].store(text.0, Ordering::Relaxed);
        words[2 * at + 1].store(text.1, Ordering::Relaxed);
        Some(number)
    }

    fn chunk(&self, chunk: usize, room: &Room) -> Option<&Words> {
        if let Some(words) = self.chunks[chunk].get() {
            return Some(words);
        }
        let words = room.words(2 * chunk_len(chunk))?;
        let bytes = words.bytes();
        if self.chunks[chunk].set(words).is_err() {
            room.give(bytes);
        }
        self.chunks[chunk].get()
    }

    /// Makes the index larger than `len`, unless it is already; false if there is no room.
    fn grow(&self, len: usize, room: &Room) -> bool {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if index.len() > len {
            return true;
        }
        let size = len * 2;
        let Some(slots) = room.words(size) else {
            return false;
        };
        let mask = size - 1;
        for slot in index.iter() {
            let number = slot.load(Ordering::Relaxed) & NUMBER;
            if number == 0 {
                continue;
            }
            let h = self.text(number as u32).hash();
            let mut at = h as usize & mask;
            while slots[at].load(Ordering::Relaxed) != 0 {
                at = (at + 1) & mask;
            }
            slots[at].store(h & !NUMBER | number, Ordering::Relaxed);
        }
        room.give(index.bytes());
        *index = slots;
        true
    }
}
