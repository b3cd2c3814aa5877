//! Bitstate: of every state a few bits of one large array (Holzmann, *An improved protocol reachability analysis
//! technique*, 1988), which is a Bloom filter.
//!
//! The array has the size it is given and never grows, so it can take any number of states; the more it has, the more new
//! ones look as if they had been there.
//!
//! Threads set bits at the same time. Two that insert the same entry must not both find a bit that is not set yet and take
//! the entry for new; so who sets the bits of an entry holds one of many locks, which the entry itself chooses.

use super::lossy::scaled;
use super::mix;
use super::prefetch::prefetch;
use super::words::Words;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of locks: so many that two threads hardly ever want the same.
const LOCKS: u64 = 1 << 10;

/// What all threads share.
#[derive(Debug)]
struct Contents {
    words: Words,
    locks: Box<[Mutex<()>]>,
    /// Entries that were new.
    len: AtomicU64,
}

/// A set that keeps a few bits of each entry, as one thread sees it.
#[derive(Clone, Debug)]
pub struct Bits {
    contents: Arc<Contents>,
    hashes: u32,
    seed: u64,
}

/// The word and the bit in it at a place.
#[inline]
fn at(place: usize) -> (usize, u64) {
    (place / 64, 1 << (place % 64))
}

/// So many words, or half of them, and so on: as many as the system gives.
fn largest(count: usize) -> Words {
    Words::in_small_pages(count).unwrap_or_else(|| largest(count / 2))
}

impl Bits {
    /// An empty one of that many bytes, or as many as the system gives, with that many bits per entry.
    pub(super) fn new(bytes: u64, hashes: u32, seed: u64) -> Bits {
        let contents = Contents {
            // Most searches touch but a part of a large array: huge pages would cost more than they save.
            words: largest((bytes / 8).max(1) as usize),
            locks: (0..LOCKS).map(|_| Mutex::new(())).collect(),
            len: AtomicU64::new(0),
        };
        Bits {
            contents: Arc::new(contents),
            hashes: hashes.max(1),
            seed: mix(seed),
        }
    }

    fn size(&self) -> u64 {
        self.contents.words.len() as u64 * 64
    }

    /// The places of the bits of an entry: two independent values make as many as are wanted (Kirsch and Mitzenmacher).
    #[inline]
    fn places(&self, fingerprint: u64) -> impl Iterator<Item = usize> + use<> {
        let (first, size) = (mix(fingerprint ^ self.seed), self.size());
        let step = mix(first) | 1;
        let hashes =
            (0..u64::from(self.hashes)).map(move |i| first.wrapping_add(i.wrapping_mul(step)));
        hashes.map(move |hash| scaled(hash, size))
    }

    #[inline]
    pub(super) fn prefetch(&self, fingerprint: u64) {
        for place in self.places(fingerprint) {
            let (word, _) = at(place);
            prefetch(&self.contents.words[word..=word], 1);
        }
    }

    #[inline]
    pub(super) fn contains(&self, fingerprint: u64) -> bool {
        let words: &[AtomicU64] = &self.contents.words;
        self.places(fingerprint)
            .map(at)
            .all(|(word, bit)| words[word].load(Ordering::Relaxed) & bit != 0)
    }

    /// Sets the bits of an entry; says whether one of them was not set.
    #[inline]
    fn set(&self, fingerprint: u64) -> bool {
        let words: &[AtomicU64] = &self.contents.words;
        let lock = &self.contents.locks[(fingerprint % LOCKS) as usize];
        let _only = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = false;
        for (word, bit) in self.places(fingerprint).map(at) {
            new |= words[word].fetch_or(bit, Ordering::Relaxed) & bit == 0;
        }
        new
    }

    #[inline]
    pub(super) fn insert_all(
        &self,
        fingerprints: impl Iterator<Item = u64>,
        mut tell: impl FnMut(bool),
    ) {
        let mut count = 0;
        for fingerprint in fingerprints {
            let new = !self.contains(fingerprint) && self.set(fingerprint);
            count += u64::from(new);
            tell(new);
        }
        if count > 0 {
            self.contents.len.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.contents.words.bytes()
    }

    pub(super) fn len(&self) -> u64 {
        self.contents.len.load(Ordering::Relaxed)
    }

    /// Bits for each entry.
    pub(super) fn hash_factor(&self) -> f64 {
        self.size() as f64 / self.len().max(1) as f64
    }

    /// When there were x entries of m bits, an entry looked as if it had been there with probability (1 - e^(-kx/m))^k;
    /// that is summed up over the entries (by Simpson's rule).
    pub(super) fn expected_omissions(&self) -> f64 {
        const PARTS: usize = 200;
        let (len, k) = (self.len() as f64, f64::from(self.hashes));
        let chance = |x: f64| (-(-k * x / self.size() as f64).exp_m1()).powf(k);
        let weighted = (0..=PARTS).map(|i| {
            let weight = match i {
                0 | PARTS => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * chance(len * i as f64 / PARTS as f64)
        });
        weighted.sum::<f64>() * len / PARTS as f64 / 3.0
    }
}
