//! Hash-compact: of every state its fingerprint of 64 bits, and nothing else (Wolper and Leroy, *Reliable hashing without
//! collision detection*, CAV 1993).
//!
//! The table is cut into segments by the uppermost bits, which grow one by one and by a sixth at a time, so that neither
//! growing nor the room left for it costs much: a state takes 9 to 11 bytes. That needs a table that works when it is
//! nearly full. Within a segment the entries are sorted: an entry stands at the place that its value has among all values,
//! or as close behind it as those before it allow. A search starts at that place and ends at the first larger entry, a few
//! steps on even at a load of seven eighths, and growing is copying in order.

use super::lossy::scaled;
use super::prefetch::prefetch;

/// Number of segments, and the bits that choose one.
const SEGMENT_BITS: u32 = 8;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
const FIRST: usize = 16;
/// Marks a free slot; a fingerprint that happens to be this is stored as another.
const FREE: u64 = 0;

/// A set of fingerprints.
#[derive(Debug)]
pub struct Compact {
    segments: Vec<Segment>,
    len: u64,
}

impl Default for Compact {
    fn default() -> Compact {
        Compact {
            segments: (0..SEGMENTS)
                .map(|_| Segment::of(FIRST, FIRST, 0))
                .collect(),
            len: 0,
        }
    }
}

/// Sorted entries with gaps.
#[derive(Debug)]
struct Segment {
    /// Places that values are mapped to, and behind them room for those that find theirs taken.
    slots: Vec<u64>,
    places: u64,
    len: usize,
}

impl Segment {
    fn of(places: usize, room: usize, len: usize) -> Segment {
        Segment {
            slots: vec![FREE; places + room],
            places: places as u64,
            len,
        }
    }

    #[inline]
    fn place(&self, entry: u64) -> usize {
        scaled(entry << SEGMENT_BITS, self.places)
    }

    /// Where the entry is, or else where it belongs; `None` if that is beyond the end.
    #[inline]
    fn find(&self, entry: u64) -> Option<(usize, bool)> {
        let start = self.place(entry);
        for (index, &other) in self.slots.iter().enumerate().skip(start) {
            if other == FREE || other >= entry {
                return Some((index, other == entry));
            }
        }
        None
    }

    #[inline]
    fn insert(&mut self, entry: u64) -> bool {
        loop {
            let at = match self.find(entry) {
                Some((_, true)) => return false,
                Some((at, false)) => Some(at),
                None => None,
            };
            let free = at.and_then(|at| {
                let free = self.slots[at..].iter().position(|&slot| slot == FREE)?;
                Some((at, at + free))
            });
            if let Some((at, free)) = free
                && (self.len + 1) * 8 <= self.places as usize * 7
            {
                self.slots.copy_within(at..free, at + 1);
                self.slots[at] = entry;
                self.len += 1;
                return true;
            }
            self.grow();
        }
    }

    /// Makes the segment larger by a sixth: its load falls from seven eighths to three quarters.
    fn grow(&mut self) {
        let places = (self.places as usize + 1) * 7 / 6;
        let mut room = (places / 8).clamp(8, 128);
        while !self.spread(places, room) {
            room *= 2;
        }
    }

    /// Puts the entries into a segment of another size, if that has room enough behind its places.
    fn spread(&mut self, places: usize, room: usize) -> bool {
        let mut larger = Segment::of(places, room, self.len);
        let mut next = 0;
        for &entry in self.slots.iter().filter(|&&slot| slot != FREE) {
            let at = larger.place(entry).max(next);
            match larger.slots.get_mut(at) {
                Some(slot) => *slot = entry,
                None => return false,
            }
            next = at + 1;
        }
        *self = larger;
        true
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
        let (segment, entry) = Self::entry(fingerprint);
        let segment = &self.segments[segment];
        prefetch(&segment.slots[segment.place(entry)..], 1);
    }

    #[inline]
    pub(super) fn contains(&self, fingerprint: u64) -> bool {
        let (segment, entry) = Self::entry(fingerprint);
        matches!(self.segments[segment].find(entry), Some((_, true)))
    }

    #[inline]
    pub(super) fn insert(&mut self, fingerprint: u64) -> bool {
        let (segment, entry) = Self::entry(fingerprint);
        let new = self.segments[segment].insert(entry);
        self.len += u64::from(new);
        new
    }

    pub(super) fn bytes(&self) -> u64 {
        let slots: usize = self.segments.iter().map(|s| s.slots.capacity()).sum();
        (slots * size_of::<u64>() + SEGMENTS * size_of::<Segment>()) as u64
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }
}
