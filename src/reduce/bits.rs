//! A set of small numbers of a fixed universe.

/// The set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn insert(&mut self, index: usize) {
        let word = index / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (index % 64);
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.0
            .get(index / 64)
            .is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    pub(super) fn absorb(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, extra) in self.0.iter_mut().zip(&other.0) {
            *word |= extra;
        }
    }

    /// The smallest number in both.
    pub(super) fn first_common(&self, other: &Bits) -> Option<usize> {
        let both = self.0.iter().zip(&other.0).map(|(a, b)| a & b);
        let (word, bits) = both.enumerate().find(|(_, bits)| *bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}
