//! Hash-compact: of every state its fingerprint of 64 bits, and nothing else (Wolper and Leroy, *Reliable hashing without
//! collision detection*, CAV 1993).
//!
//! The table is cut into segments by the uppermost bits, which grow one by one and by a fifth at a time, so that neither
//! growing nor the room left for it costs much: a state takes 9 to 11 bytes. That needs a table that works when it is
//! nearly full. A segment consists of cache lines, which are filled from front to back. An entry lies in the line at the
//! place that its value has among all values, or in the first one behind that was not full: even at a load of seven eighths
//! mostly one line tells whether it is there, and growing is copying nearly in order.
//!
//! Threads add entries at the same time: a free slot is taken in one step and never given back (see [`super::slots`]). Who
//! wants to take one first makes a reservation, so that some slots stay free however many threads there are: a search ends
//! at one. Only when a segment grows must no other thread use it: that is what the lock is for, which is taken for all
//! successors of a state together.

use super::lossy::scaled;
use super::prefetch::prefetch_at;
use super::slots::Slot;
use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

/// Number of segments, and the bits that choose one.
const SEGMENT_BITS: u32 = 8;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
const FIRST_LINES: usize = 2;
/// Marks a free slot; a fingerprint that happens to be this is stored as another.
const FREE: u64 = 0;

/// Slots that are fetched together.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line([AtomicU64; SLOTS]);

const SLOTS: usize = 8;

/// Whether an entry is in a line; how many slots of it are taken. All are looked at, which is faster than to stop at the
/// right one.
///
/// While others take slots, the number may be too small and the entry be overlooked: but then the slot behind so many is not
/// free.
#[inline(always)]
fn look<S: Slot>(line: &[S], entry: u64) -> (bool, usize) {
    let (mut here, mut taken) = (false, 0);
    for slot in line {
        let word = slot.get();
        here |= word == entry;
        taken += usize::from(word != FREE);
    }
    (here, taken)
}

/// Adds an entry to a line, if `reserve` allows it to take a slot; `None` if the line is full of others.
#[inline(always)]
fn add<S: Slot>(line: &[S], entry: u64, mut reserve: impl FnMut() -> bool) -> Option<Added> {
    loop {
        let (here, taken) = look(line, entry);
        if here {
            return Some(Added::Seen);
        }
        let slot = line.get(taken)?;
        if !reserve() {
            return Some(Added::Crowded);
        }
        if slot.take(entry) {
            return Some(Added::New);
        }
        // Another thread was faster, perhaps with the same.
    }
}

/// Entries of which the uppermost bits are the same.
#[derive(Debug)]
struct Segment {
    lines: Box<[Line]>,
    /// Slots that are taken or reserved.
    taken: AtomicUsize,
}

/// What became of an entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Added {
    New,
    Seen,
    /// Nothing: the segment has to grow first.
    Crowded,
}

/// The line where an entry belongs, in a segment of so many.
#[inline(always)]
fn home(entry: u64, lines: usize) -> usize {
    scaled(entry << SEGMENT_BITS, lines as u64)
}

impl Segment {
    fn of(lines: usize, taken: usize) -> Segment {
        Segment {
            lines: (0..lines).map(|_| Line::default()).collect(),
            taken: AtomicUsize::new(taken),
        }
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }

    /// The lines where an entry may lie, in the order in which they are filled.
    #[inline(always)]
    fn lines(&self, entry: u64) -> impl Iterator<Item = &Line> {
        let (before, behind) = self.lines.split_at(home(entry, self.lines.len()));
        behind.iter().chain(before)
    }

    #[inline]
    fn contains(&self, entry: u64) -> bool {
        for Line(slots) in self.lines(entry) {
            let (here, taken) = look(slots, entry);
            if here || taken < SLOTS {
                return here;
            }
        }
        false
    }

    #[inline]
    fn add(&self, entry: u64) -> Added {
        let mut reserved = false;
        let mut reserve = || {
            reserved = reserved || self.reserve();
            reserved
        };
        let mut added = None;
        for Line(slots) in self.lines(entry) {
            added = add(slots, entry, &mut reserve);
            if added.is_some() {
                break;
            }
        }
        if reserved && added == Some(Added::Seen) {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
        added.unwrap_or(Added::Crowded)
    }

    /// Makes sure of a slot; false if seven eighths are taken.
    #[inline]
    fn reserve(&self) -> bool {
        let room = self.taken.fetch_add(1, Ordering::Relaxed) < self.lines.len() * (SLOTS - 1);
        if !room {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
        room
    }

    /// The same entries in a segment that is larger by a fifth: its load falls from seven eighths to less than three quarters.
    /// Nobody else is here.
    fn grown(&self) -> Segment {
        let count = (self.lines.len() + 1) * 6 / 5;
        let larger = Segment::of(count, self.taken.load(Ordering::Relaxed));
        let mut filled = vec![0u8; count];
        for Line(slots) in &self.lines {
            let words = slots.iter().map(|slot| slot.load(Ordering::Relaxed));
            for entry in words.take_while(|&word| word != FREE) {
                let mut at = home(entry, count);
                while usize::from(filled[at]) == SLOTS {
                    at = (at + 1) % count;
                }
                let slot = &larger.lines[at].0[usize::from(filled[at])];
                slot.store(entry, Ordering::Relaxed);
                filled[at] += 1;
            }
        }
        larger
    }
}

/// What all threads share.
#[derive(Debug)]
struct Contents {
    segments: ShardedLock<Vec<Segment>>,
    bytes: AtomicU64,
    /// Changes when a segment grows.
    generation: AtomicU64,
}

impl Contents {
    #[inline]
    fn read(&self) -> ShardedLockReadGuard<'_, Vec<Segment>> {
        self.segments.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a segment larger than so many lines, unless it is already.
    #[cold]
    fn grow(&self, number: usize, lines: usize) {
        let mut segments = self
            .segments
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let segment = &mut segments[number];
        if segment.lines.len() == lines {
            let larger = segment.grown();
            let more = larger.bytes() - segment.bytes();
            self.bytes.fetch_add(more, Ordering::Relaxed);
            *segment = larger;
            self.generation.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Where the segments were when last looked up: used for prefetching only.
#[derive(Clone, Debug, Default)]
struct Hints {
    generation: u64,
    segments: Vec<(usize, usize)>,
}

/// A growing set of fingerprints, as one thread sees it.
#[derive(Clone, Debug)]
pub struct Compact {
    contents: Arc<Contents>,
    hints: Hints,
}

impl Default for Compact {
    fn default() -> Compact {
        let segments: Vec<Segment> = (0..SEGMENTS).map(|_| Segment::of(FIRST_LINES, 0)).collect();
        let bytes = segments.iter().map(Segment::bytes).sum::<u64>();
        let all = size_of_val(&*segments) as u64 + bytes;
        let mut compact = Compact {
            contents: Arc::new(Contents {
                segments: ShardedLock::new(segments),
                bytes: AtomicU64::new(all),
                generation: AtomicU64::new(1),
            }),
            hints: Hints::default(),
        };
        compact.look();
        compact
    }
}

impl Compact {
    #[inline]
    fn entry(fingerprint: u64) -> (usize, u64) {
        let entry = if fingerprint == FREE { 1 } else { fingerprint };
        ((entry >> (64 - SEGMENT_BITS)) as usize, entry)
    }

    #[inline]
    pub(super) fn prefetch(&self, fingerprint: u64) {
        let (number, entry) = Self::entry(fingerprint);
        let (address, lines) = self.hints.segments[number];
        prefetch_at(address + home(entry, lines) * size_of::<Line>());
    }

    /// Finds out where the segments are now.
    #[cold]
    fn look(&mut self) {
        let segments = self.contents.read();
        self.hints.generation = self.contents.generation.load(Ordering::Relaxed);
        self.hints.segments.clear();
        let places = segments
            .iter()
            .map(|segment| (segment.lines.as_ptr() as usize, segment.lines.len()));
        self.hints.segments.extend(places);
    }

    #[inline]
    pub(super) fn find_all(
        &self,
        fingerprints: impl Iterator<Item = u64>,
        mut tell: impl FnMut(bool),
    ) {
        let segments = self.contents.read();
        for fingerprint in fingerprints {
            let (number, entry) = Self::entry(fingerprint);
            tell(segments[number].contains(entry));
        }
    }

    #[inline]
    pub(super) fn insert_all(
        &mut self,
        fingerprints: impl Iterator<Item = u64>,
        mut tell: impl FnMut(bool),
    ) {
        let contents = &*self.contents;
        let mut segments = contents.read();
        for fingerprint in fingerprints {
            let (number, entry) = Self::entry(fingerprint);
            let added = loop {
                match segments[number].add(entry) {
                    Added::Crowded => {
                        let lines = segments[number].lines.len();
                        drop(segments);
                        contents.grow(number, lines);
                        segments = contents.read();
                    }
                    added => break added,
                }
            };
            tell(added == Added::New);
        }
        drop(segments);
        if self.hints.generation != contents.generation.load(Ordering::Relaxed) {
            self.look();
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.contents.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn len(&self) -> u64 {
        let segments = self.contents.read();
        let taken = segments.iter().map(|s| s.taken.load(Ordering::Relaxed));
        taken.sum::<usize>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU64 as Checked;
    use loom::thread;

    /// Every schedule of three threads, two of which add the same: it is new to one of them, and the line is filled from front
    /// to back.
    #[test]
    fn each_entry_is_new_to_exactly_one_thread() {
        loom::model(|| {
            let line: Arc<Vec<Checked>> = Arc::new((0..3).map(|_| Checked::new(FREE)).collect());
            let threads = [7, 9].map(|entry| {
                let line = Arc::clone(&line);
                thread::spawn(move || add(&line, entry, || true))
            });
            let mine = add(&line, 7, || true);
            let [seven, nine] = threads.map(|t| t.join().unwrap());
            assert_eq!(nine, Some(Added::New));
            let both = [mine, seven];
            assert!(both.contains(&Some(Added::New)) && both.contains(&Some(Added::Seen)));
            let words: Vec<u64> = line.iter().map(Slot::get).collect();
            assert!([[7, 9, FREE], [9, 7, FREE]].contains(&[words[0], words[1], words[2]]));
        });
    }
}
