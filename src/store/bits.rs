//! Bitstate: of every state a few bits of one large array (Holzmann, *An improved protocol reachability analysis
//! technique*, 1988), which is a Bloom filter.
//!
//! The array has the size it is given and never grows, so it can take any number of states; the more it has, the more new
//! ones look as if they had been there.

use super::lossy::scaled;
use super::mix;
use super::prefetch::prefetch;

/// A set that keeps a few bits of each entry.
#[derive(Debug)]
pub struct Bits {
    words: Vec<u64>,
    hashes: u32,
    seed: u64,
    /// Entries that were new.
    len: u64,
}

impl Bits {
    /// An empty one of that many bytes, with that many bits an entry.
    pub(super) fn new(bytes: u64, hashes: u32, seed: u64) -> Bits {
        Bits {
            words: vec![0; (bytes / 8).max(1) as usize],
            hashes: hashes.max(1),
            seed: mix(seed),
            len: 0,
        }
    }

    fn size(&self) -> u64 {
        self.words.len() as u64 * 64
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
            prefetch(&self.words[place / 64..=place / 64], 1);
        }
    }

    #[inline]
    pub(super) fn contains(&self, fingerprint: u64) -> bool {
        self.places(fingerprint)
            .all(|place| self.words[place / 64] & 1 << (place % 64) != 0)
    }

    #[inline]
    pub(super) fn insert(&mut self, fingerprint: u64) -> bool {
        let mut new = false;
        for place in self.places(fingerprint) {
            let (word, bit) = (&mut self.words[place / 64], 1 << (place % 64));
            new |= *word & bit == 0;
            *word |= bit;
        }
        self.len += u64::from(new);
        new
    }

    pub(super) fn bytes(&self) -> u64 {
        size_of_val(self.words.as_slice()) as u64
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Bits for each entry.
    pub(super) fn hash_factor(&self) -> f64 {
        self.size() as f64 / self.len.max(1) as f64
    }

    /// When there were x entries of m bits, an entry looked as if it had been there with probability (1 - e^(-kx/m))^k;
    /// that is summed up over the entries (by Simpson's rule).
    pub(super) fn expected_omissions(&self) -> f64 {
        const PARTS: usize = 200;
        let (len, k) = (self.len as f64, f64::from(self.hashes));
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
