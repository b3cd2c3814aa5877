//! Sets of small numbers of a fixed universe: one by itself, and many side by side.

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

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(super) fn meets(&self, other: &Bits) -> bool {
        self.first_common(other).is_some()
    }

    /// The smallest number in both.
    pub(super) fn first_common(&self, other: &Bits) -> Option<usize> {
        let both = self.0.iter().zip(&other.0).map(|(a, b)| a & b);
        let (word, bits) = both.enumerate().find(|(_, bits)| *bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

/// Many sets of numbers below a common bound, in one piece of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrix {
    words: usize,
    bits: Vec<u64>,
}

impl Matrix {
    /// `rows` sets of those numbers below `columns` for which `holds`; `None` if it is not to `go_on`.
    pub(super) fn new(
        rows: usize,
        columns: usize,
        holds: impl Fn(usize, usize) -> bool,
        go_on: impl Fn() -> bool,
    ) -> Option<Matrix> {
        let words = columns.div_ceil(64).max(1);
        let mut bits = vec![0; rows * words];
        for (row, bits) in bits.chunks_mut(words).enumerate() {
            if !go_on() {
                return None;
            }
            for column in (0..columns).filter(|&column| holds(row, column)) {
                bits[column / 64] |= 1 << (column % 64);
            }
        }
        Some(Matrix { words, bits })
    }

    /// One of the sets.
    #[inline]
    pub(super) fn row(&self, row: usize) -> Row<'_> {
        Row(&self.bits[row * self.words..][..self.words])
    }

    /// How many words each set has.
    #[inline]
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// A word of one of the sets.
    #[inline]
    pub(super) fn word(&self, row: usize, word: usize) -> u64 {
        self.bits[row * self.words + word]
    }
}

/// A set of a [`Matrix`].
#[derive(Copy, Clone, Debug)]
pub(super) struct Row<'m>(&'m [u64]);

impl Row<'_> {
    #[inline]
    pub(super) fn contains(self, column: usize) -> bool {
        self.0[column / 64] >> (column % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_holds_what_was_put_into_it() {
        let divides = |row: usize, column: usize| column.is_multiple_of(row + 1);
        for columns in [0, 1, 63, 64, 65, 200] {
            let matrix = Matrix::new(5, columns, divides, || true).unwrap();
            for (row, column) in (0..5).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                assert_eq!(matrix.row(row).contains(column), divides(row, column));
                let word = matrix.word(row, column / 64);
                assert_eq!(word >> (column % 64) & 1 == 1, divides(row, column));
            }
        }
    }
}
