//! Random numbers: the SplitMix64 sequence (Steele, Lea and Flood, OOPSLA 2014).
//!
//! It is written out here so that a seed means the same model on every machine and with every version of every
//! dependency.

/// A seeded source of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence that belongs to `seed`.
    pub fn seeded(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn within(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, if there is any.
    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> Option<&'c T> {
        choices.get(self.below(choices.len()))
    }

    /// One of a fixed set of words.
    pub fn word<const N: usize>(&mut self, words: [&'static str; N]) -> &'static str {
        words[self.below(N)]
    }
}
