//! Texts for numbers: every different text of sixteen bytes gets a number below 2^29, and the number gives the text back.
//!
//! The texts lie in the order of their numbers in chunks that never move, four of one size before they get longer, so that a
//! number is turned back into its text without a lookup. An index finds the number of a text: open addressing, a slot
//! of four bytes is a number and, in the bits that numbers do not need yet, some of the text's hash. Threads add texts at the
//! same time: a text is written first, then its number is put into an empty slot in one step; a thread that comes second
//! takes the number it finds there (its own number stays unused, which is rare). Only when the index grows must no other
//! thread use it: that is what the lock is for, which costs readers little.

use super::prefetch::prefetch_at;
use super::room::Room;
use super::tree::escape::ESCAPE;
use super::words::Words;
use crate::checkpoint::{In, Out, Persist, misfit};
use crossbeam_utils::sync::ShardedLock;
use std::io;
use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bits of a number, with the one that marks an escape.
pub(super) const BITS: u32 = 30;
/// Numbers of the first chunk are below 2 to the power of this.
const FIRST_BITS: u32 = 9;
/// Chunks of one size, and that as a power of 2.
const EQUAL: usize = 1 << EQUAL_BITS;
const EQUAL_BITS: u32 = 2;
const CHUNKS: usize = 1 + (ESCAPE.ilog2() - FIRST_BITS) as usize * EQUAL;
/// A power of 2.
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

/// Where the index was when last looked up: used for prefetching only.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Hint {
    slots: usize,
    mask: usize,
}

#[derive(Debug)]
pub(super) struct Interner {
    chunks: [OnceLock<Words>; CHUNKS],
    /// The number given out last; 0 is never given out.
    last: AtomicU32,
    index: ShardedLock<Words>,
}

/// The chunk of a number, and its place in it.
#[inline]
fn place(number: u32) -> (usize, usize) {
    if number >> FIRST_BITS == 0 {
        return (0, number as usize);
    }
    // The upper bits say which chunk it is, the others which place.
    let bits = number.ilog2() - EQUAL_BITS;
    let size = bits - (FIRST_BITS - EQUAL_BITS);
    let chunk = 1 + size as usize * EQUAL + (number >> bits) as usize % EQUAL;
    (chunk, number as usize % (1 << bits))
}

fn chunk_len(chunk: usize) -> usize {
    match chunk.checked_sub(1) {
        None => 1 << FIRST_BITS,
        Some(chunk) => 1 << (FIRST_BITS - EQUAL_BITS + (chunk / EQUAL) as u32),
    }
}

/// The slot for a number in an index that has one slot more than `mask`; 0 if it does not fit in.
#[inline]
fn slot_of(number: u32, hash: u64, mask: usize) -> u32 {
    let mask = mask as u32;
    if number > mask {
        0
    } else {
        (hash >> 32) as u32 & !mask | number
    }
}

impl Interner {
    pub(super) fn new(room: &Room) -> Interner {
        let index = Words::few(FIRST_SLOTS / 2);
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
        prefetch_at(hint.slots + at * size_of::<u32>());
    }

    /// Starts to bring into the cache what the slots of texts lead to.
    pub(super) fn prefetch_texts(&self, texts: impl Iterator<Item = Text>, hint: &mut Hint) {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        let slots = index.halves();
        let mask = slots.len() - 1;
        *hint = Hint {
            slots: slots.as_ptr() as usize,
            mask,
        };
        for text in texts {
            let hash = text.hash();
            let slot = slots[hash as usize & mask].load(Ordering::Relaxed);
            let number = slot & mask as u32;
            if number != 0 && slot == slot_of(number, hash, mask) {
                let (chunk, at) = place(number);
                if let Some(words) = self.chunks[chunk].get() {
                    prefetch_at(&raw const words[2 * at] as usize);
                }
            }
        }
    }

    /// The number of a text with that hash; `None` when there is no room for it.
    pub(super) fn number(&self, text: Text, hash: u64, room: &Room) -> Option<u32> {
        let mut mine = None;
        let mut refused = false;
        loop {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            let slots = index.halves();
            let mask = slots.len() - 1;
            let mut at = hash as usize & mask;
            loop {
                let slot = slots[at].load(Ordering::Acquire);
                if slot == 0 {
                    break;
                }
                let number = slot & mask as u32;
                if slot == slot_of(number, hash, mask) && self.text(number) == text {
                    return Some(number);
                }
                at = (at + 1) & mask;
            }
            let number = match mine {
                Some(number) => number,
                None if self.is_crowded(slots.len(), 13) && !refused => {
                    let len = slots.len();
                    drop(index);
                    refused = !self.grow(len, room);
                    continue;
                }
                None if self.is_crowded(slots.len(), 15) => return None,
                None => self.add(text, room)?,
            };
            mine = Some(number);
            let slot = slot_of(number, hash, mask);
            if slot == 0 {
                return None;
            }
            // On failure another thread took the slot meanwhile, perhaps with the same text: look again.
            let empty = 0;
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

    /// Makes the index larger than `len` slots, unless it is already; false if there is no room.
    fn grow(&self, len: usize, room: &Room) -> bool {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if index.halves().len() > len {
            return true;
        }
        let Some(words) = room.words(len) else {
            return false;
        };
        let slots = words.halves();
        let mask = slots.len() - 1;
        for slot in index.halves() {
            let number = slot.load(Ordering::Relaxed) & (len - 1) as u32;
            if number == 0 {
                continue;
            }
            let hash = self.text(number).hash();
            let mut at = hash as usize & mask;
            while slots[at].load(Ordering::Relaxed) != 0 {
                at = (at + 1) & mask;
            }
            slots[at].store(slot_of(number, hash, mask), Ordering::Relaxed);
        }
        room.give(index.bytes());
        *index = words;
        true
    }
}

/// Checkpoints: the index is written as it is, since a text may have two numbers, of which it tells the one that counts.
impl Interner {
    pub(super) fn save(&self, out: &mut Out) -> io::Result<()> {
        self.last.load(Ordering::Relaxed).save(out)?;
        let chunks = self.chunks.iter().map_while(|chunk| chunk.get());
        chunks.clone().count().save(out)?;
        for words in chunks {
            words.save(words.len(), out)?;
        }
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.save(index.len(), out)
    }

    /// Reads one; texts have the numbers that they had.
    pub(super) fn load(room: &Room, input: &mut In) -> io::Result<Interner> {
        let last = u32::load(input)?;
        let chunks = [const { OnceLock::new() }; CHUNKS];
        let used = chunks.get(..usize::load(input)?).ok_or_else(misfit)?;
        for (number, chunk) in used.iter().enumerate() {
            let words = Words::load(input, |_| room.words(2 * chunk_len(number)))?;
            let _ = chunk.set(words);
        }
        let index = Words::load(input, |count| {
            count.is_power_of_two().then(|| room.words(count))?
        })?;
        Ok(Interner {
            chunks,
            last: AtomicU32::new(last),
            index: ShardedLock::new(index),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_follow_one_another() {
        let mut next = 0u32;
        for chunk in 0..CHUNKS {
            let last = next + chunk_len(chunk) as u32 - 1;
            assert_eq!(place(next), (chunk, 0));
            assert_eq!(place(last), (chunk, chunk_len(chunk) - 1));
            next = last + 1;
        }
        assert_eq!(next, ESCAPE);
    }
}
