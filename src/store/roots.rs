//! A growing set of words other than 0, each with a flag that stays and a note that may change.
//!
//! The words are spread over segments by their hash, and within a segment over lines of slots, a cache line each: a word lies
//! in the line that its hash gives when scaled to the size of the segment, or else in the next slot that is free. Therefore a
//! segment may have any size, and mostly one line tells whether a word is there. It grows by a quarter when five sixths of
//! it are taken, and grows alone:
//! there is no moment when everything is there twice, and since the segments start with different sizes, they do not grow at
//! the same time.
//!
//! Threads add words at the same time: an empty slot is taken in one step, and never given back. Only when a segment grows
//! must no other thread use it: that is what the lock is for, which costs readers little.

use super::prefetch::prefetch_at;
use super::room::Room;
use super::words::Words;
use super::{Notes, mix};
use crate::checkpoint::{In, Out, Persist, misfit};
use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};
use std::io;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const SEGMENT_BITS: u32 = 3;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// Slots of the smallest segment at first; the largest has nearly twice as many.
const FIRST_SLOTS: usize = 512;
/// A segment with fewer slots is doubled.
const SMALL: usize = 1 << 12;

/// Set in a slot whose word is flagged; words do not use it.
const FLAG: u64 = 1 << 63;

/// A word and its hash.
#[derive(Copy, Clone, Debug)]
pub(super) struct Root {
    pub(super) word: u64,
    hash: u64,
}

impl Root {
    #[inline]
    pub(super) fn new(word: u64) -> Root {
        Root {
            word,
            hash: mix(word),
        }
    }
}

#[derive(Debug)]
struct Segment {
    slots: Words,
    notes: Words,
    taken: AtomicUsize,
}

/// Slots that are fetched together.
const LINE: usize = 8;

/// The first place for a word with that hash in a segment with so many slots: the beginning of a line.
#[inline]
fn home(hash: u64, slots: usize) -> usize {
    let lines = slots / LINE;
    ((u128::from(hash << SEGMENT_BITS) * lines as u128) >> 64) as usize * LINE
}

/// The size of a segment after it has grown.
fn larger(slots: usize) -> usize {
    match slots {
        0..SMALL => slots * 2,
        _ => slots / (4 * LINE) * (5 * LINE),
    }
}

/// Slots that may be taken while there is room to grow.
fn fullest_for_speed(slots: usize) -> usize {
    slots / 6 * 5
}

/// Slots that may be taken when there is none. Some must stay free: a search for a word ends at one. Threads that take
/// slots at the same time may go beyond by one each.
fn fullest(slots: usize) -> usize {
    (slots - slots / 16)
        .saturating_sub(64)
        .max(fullest_for_speed(slots))
}

#[inline]
fn segment_of(hash: u64) -> usize {
    (hash >> (64 - SEGMENT_BITS)) as usize
}

impl Segment {
    /// The slot that has `word` and whether it is flagged, or else the one where it belongs.
    #[inline]
    fn find(&self, word: u64, hash: u64) -> Result<(usize, bool), usize> {
        let slots: &[AtomicU64] = &self.slots;
        let mut at = home(hash, slots.len());
        loop {
            let found = slots[at].load(Ordering::Acquire);
            if found & !FLAG == word {
                return Ok((at, found & FLAG != 0));
            }
            if found == 0 {
                return Err(at);
            }
            at += 1;
            if at == slots.len() {
                at = 0;
            }
        }
    }
}

impl Segment {
    /// The slot for a word that is not there.
    #[inline]
    fn free(&self, hash: u64) -> usize {
        let slots: &[AtomicU64] = &self.slots;
        let home = home(hash, slots.len());
        let free = |slot: &AtomicU64| slot.load(Ordering::Relaxed) == 0;
        match slots[home..].iter().position(free) {
            Some(offset) => home + offset,
            None => slots.iter().position(free).unwrap_or(home),
        }
    }
}

/// The answer to a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Added {
    New,
    Seen {
        flagged: bool,
    },
    /// There is no room.
    Full,
}

#[derive(Debug)]
pub(super) struct Roots {
    segments: ShardedLock<Vec<Segment>>,
    width: Notes,
    /// Changes when a segment grows.
    generation: AtomicU64,
}

/// Where the segments were when last looked up: used for prefetching only.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints {
    generation: u64,
    segments: Vec<(usize, usize, usize)>,
}

impl Roots {
    pub(super) fn new(width: Notes, room: &Room) -> Roots {
        let segments = (0..SEGMENTS).map(|index| {
            // Spread evenly between one size and the next.
            let slots = FIRST_SLOTS as f64 * 2f64.powf(index as f64 / SEGMENTS as f64);
            let slots = slots as usize / LINE * LINE;
            let (slots, notes) = (Words::few(slots), Words::few(width.words(slots)));
            room.count(slots.bytes() + notes.bytes());
            Segment {
                slots,
                notes,
                taken: AtomicUsize::new(0),
            }
        });
        Roots {
            segments: ShardedLock::new(segments.collect()),
            width,
            generation: AtomicU64::new(1),
        }
    }

    #[inline]
    fn read(&self) -> ShardedLockReadGuard<'_, Vec<Segment>> {
        self.segments.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to bring the slot of a word into the cache.
    #[inline]
    pub(super) fn prefetch(&self, Root { hash, .. }: Root, hints: &mut Hints) {
        if hints.generation != self.generation.load(Ordering::Relaxed) {
            self.look(hints);
        }
        let (slots, notes, len) = hints.segments[segment_of(hash)];
        let at = home(hash, len);
        prefetch_at(slots + at * size_of::<u64>());
        match self.width {
            Notes::None => {}
            Notes::Byte => prefetch_at(notes + at),
            Notes::Half => prefetch_at(notes + at * 4),
            Notes::Word => prefetch_at(notes + at * 8),
        }
    }

    #[cold]
    fn look(&self, hints: &mut Hints) {
        let segments = self.read();
        hints.generation = self.generation.load(Ordering::Relaxed);
        hints.segments.clear();
        let places = segments.iter().map(|segment| {
            let slots: &[AtomicU64] = &segment.slots;
            let notes: &[AtomicU64] = &segment.notes;
            (
                slots.as_ptr() as usize,
                notes.as_ptr() as usize,
                slots.len(),
            )
        });
        hints.segments.extend(places);
    }

    /// Adds words and says for each whether it was there. A word that is new gets the note, and the flag if it is to have
    /// one; words that are 0 have no room.
    pub(super) fn add_all(
        &self,
        words: &[Root],
        flagged: bool,
        note: u64,
        room: &Room,
        mut tell: impl FnMut(usize, Added),
    ) {
        let flag = if flagged { FLAG } else { 0 };
        let mut segments = self.read();
        for (index, &root) in words.iter().enumerate() {
            let segment = segment_of(root.hash);
            let mut may_grow = true;
            let added = loop {
                match self.add(&segments[segment], root, flag, note, may_grow) {
                    Ok(added) => break added,
                    Err(len) => {
                        drop(segments);
                        may_grow = self.grow(segment, len, room);
                        segments = self.read();
                    }
                }
            };
            tell(index, added);
        }
    }

    /// Adds a word to its segment. If it is new and the segment may grow and should, it says instead how large that is.
    #[inline]
    fn add(
        &self,
        segment: &Segment,
        Root { word, hash }: Root,
        flag: u64,
        note: u64,
        may_grow: bool,
    ) -> Result<Added, usize> {
        if word == 0 {
            return Ok(Added::Full);
        }
        loop {
            let at = match segment.find(word, hash) {
                Ok((_, flagged)) => return Ok(Added::Seen { flagged }),
                Err(at) => at,
            };
            let taken = segment.taken.load(Ordering::Relaxed);
            let len = segment.slots.len();
            if taken >= fullest_for_speed(len) {
                if may_grow {
                    return Err(len);
                }
                if taken >= fullest(len) {
                    return Ok(Added::Full);
                }
            }
            // On failure another thread took the slot meanwhile: look again.
            let slot = &segment.slots[at];
            let mine = slot.compare_exchange(0, word | flag, Ordering::Release, Ordering::Relaxed);
            if mine.is_ok() {
                segment.taken.fetch_add(1, Ordering::Relaxed);
                if note != 0 {
                    // Others may have found the word already and changed its note.
                    let _ = self.width.update(&segment.notes, at, |n| Some(n | note));
                }
                return Ok(Added::New);
            }
        }
    }

    /// Says for each word whether it is there, and if so, whether it is flagged.
    pub(super) fn find_all(&self, words: &[Root], mut tell: impl FnMut(usize, Option<bool>)) {
        let segments = self.read();
        for (index, &Root { word, hash }) in words.iter().enumerate() {
            let found = segments[segment_of(hash)].find(word, hash).ok();
            let flagged = found.map(|(_, flagged)| flagged);
            tell(index, flagged.filter(|_| word != 0));
        }
    }

    /// Makes a segment larger than `len`, unless it is already; false if there is no room.
    fn grow(&self, number: usize, len: usize, room: &Room) -> bool {
        let mut segments = self
            .segments
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let old = &segments[number];
        if old.slots.len() > len {
            return true;
        }
        let size = larger(len);
        let Some(slots) = room.words(size) else {
            return false;
        };
        let Some(notes) = room.words(self.width.words(size)) else {
            room.give(slots.bytes());
            return false;
        };
        let new = Segment {
            slots,
            notes,
            taken: AtomicUsize::new(old.taken.load(Ordering::Relaxed)),
        };
        for (at, slot) in old.slots.iter().enumerate() {
            let word = slot.load(Ordering::Relaxed);
            if word == 0 {
                continue;
            }
            let place = new.free(mix(word & !FLAG));
            new.slots[place].store(word, Ordering::Relaxed);
            if self.width != Notes::None {
                self.width
                    .put(&new.notes, place, self.width.get(&old.notes, at));
            }
        }
        room.give(old.slots.bytes() + old.notes.bytes());
        segments[number] = new;
        self.generation.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// Notes.
impl Roots {
    /// The note of a word; 0 if the word is not there.
    #[inline]
    pub(super) fn note(&self, word: u64) -> u64 {
        let segments = self.read();
        let hash = mix(word);
        let segment = &segments[segment_of(hash)];
        segment
            .find(word, hash)
            .map_or(0, |(at, _)| self.width.get(&segment.notes, at))
    }

    /// Changes the note of a word that is there.
    #[inline]
    pub(super) fn set_note(&self, word: u64, note: u64) {
        let segments = self.read();
        let hash = mix(word);
        let segment = &segments[segment_of(hash)];
        if let Ok((at, _)) = segment.find(word, hash) {
            self.width.put(&segment.notes, at, note);
        }
    }

    /// Changes the note of a word that is there in one step: see [`Notes::update`].
    #[inline]
    pub(super) fn update_note(
        &self,
        word: u64,
        change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        let segments = self.read();
        let hash = mix(word);
        let segment = &segments[segment_of(hash)];
        match segment.find(word, hash) {
            Ok((at, _)) => self.width.update(&segment.notes, at, change),
            Err(_) => Err(0),
        }
    }
}

/// Checkpoints.
impl Roots {
    pub(super) fn save(&self, out: &mut Out) -> io::Result<()> {
        for segment in self.read().iter() {
            segment.taken.load(Ordering::Relaxed).save(out)?;
            segment.slots.save(segment.slots.len(), out)?;
            segment.notes.save(segment.notes.len(), out)?;
        }
        Ok(())
    }

    pub(super) fn load(width: Notes, room: &Room, input: &mut In) -> io::Result<Roots> {
        let mut segments = Vec::new();
        for _ in 0..SEGMENTS {
            let taken = usize::load(input)?;
            let slots = Words::load(input, |count| room.words(count))?;
            let notes = Words::load(input, |count| room.words(count))?;
            let fits = slots.len() >= LINE && notes.len() == width.words(slots.len());
            if !fits || taken >= slots.len() {
                return Err(misfit());
            }
            segments.push(Segment {
                slots,
                notes,
                taken: AtomicUsize::new(taken),
            });
        }
        Ok(Roots {
            segments: ShardedLock::new(segments),
            width,
            generation: AtomicU64::new(1),
        })
    }
}
