//! Sets of processes, by pid: a word where there are at most 64 processes, and words without bound otherwise.
//!
//! Nearly all states have few processes, and choosing an ample set is work on such sets. Therefore
//! [`super::closed_sets`] is written for both kinds, and the compiler makes two of it: below the bound nothing is slower
//! than with words alone, and beyond it the choice is the same, only slower.

use crate::faults::{Fault, is_active};
use smallvec::SmallVec;

/// A set of processes. Processes are only ever added.
pub(super) trait ProcessSet: Clone + std::fmt::Debug + Default + PartialEq {
    /// The pids from `first` on, below `count`.
    fn range(first: usize, count: usize) -> Self;

    /// Adds a process.
    fn insert(&mut self, pid: usize);

    /// Whether a process is in it.
    fn contains(&self, pid: usize) -> bool;

    /// Adds all of another set.
    fn absorb(&mut self, more: &Self);

    /// Adds those of another set that `take` wants; those that are in it are not asked for.
    fn absorb_where(&mut self, more: &Self, take: impl FnMut(usize) -> bool);

    /// Whether the two have a process in common.
    fn meets(&self, other: &Self) -> bool;

    /// Whether the other has all that this one has.
    fn is_within(&self, other: &Self) -> bool;

    /// The oldest process that is not in the other one.
    fn first_besides(&self, other: &Self) -> Option<usize>;

    /// Those that are in both, oldest first.
    fn common<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = usize>;

    /// All, oldest first.
    fn members(&self) -> impl Iterator<Item = usize> {
        self.common(self)
    }

    /// Whether there is none.
    fn is_empty(&self) -> bool;
}

/// Processes that a word has room for.
pub(super) const WORD: usize = u64::BITS as usize;

impl ProcessSet for u64 {
    #[inline]
    fn range(first: usize, count: usize) -> u64 {
        u64::MAX >> (WORD - count) & u64::MAX << first
    }

    #[inline]
    fn insert(&mut self, pid: usize) {
        *self |= 1 << pid;
    }

    #[inline]
    fn contains(&self, pid: usize) -> bool {
        self >> pid & 1 == 1
    }

    #[inline]
    fn absorb(&mut self, more: &u64) {
        *self |= more;
    }

    #[inline]
    fn absorb_where(&mut self, more: &u64, mut take: impl FnMut(usize) -> bool) {
        let wanted = bits(more & !*self).filter(|&pid| take(pid));
        *self |= wanted.fold(0, |set, pid| set | 1 << pid);
    }

    #[inline]
    fn meets(&self, other: &u64) -> bool {
        self & other != 0
    }

    #[inline]
    fn is_within(&self, other: &u64) -> bool {
        self & !other == 0
    }

    #[inline]
    fn first_besides(&self, other: &u64) -> Option<usize> {
        bits(self & !other).next()
    }

    #[inline]
    fn common<'s>(&'s self, other: &'s u64) -> impl Iterator<Item = usize> {
        bits(self & other)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        *self == 0
    }
}

/// A set without bound. Up to 256 processes, more than SPIN allows, it takes no memory elsewhere. The last word is never 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WideSet(SmallVec<[u64; 4]>);

impl WideSet {
    fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }

    /// Words of this set beside those of another.
    fn beside<'s>(&'s self, other: &'s WideSet) -> impl Iterator<Item = (u64, u64)> {
        let words = self.0.iter().enumerate();
        words.map(|(index, &word)| (word, other.word(index)))
    }

    fn reach(&mut self, words: usize) {
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
    }
}

impl ProcessSet for WideSet {
    fn range(first: usize, count: usize) -> WideSet {
        let word = |index: usize| {
            let (low, high) = (index * WORD, count.min((index + 1) * WORD));
            let skipped = first.clamp(low, high) - low;
            let range = u64::MAX.checked_shl(skipped as u32).unwrap_or(0);
            range & u64::MAX >> (WORD - (high - low))
        };
        match first < count {
            true => WideSet((0..count.div_ceil(WORD)).map(word).collect()),
            false => WideSet::default(),
        }
    }

    fn insert(&mut self, pid: usize) {
        self.reach(pid / WORD + 1);
        self.0[pid / WORD].insert(pid % WORD);
    }

    fn contains(&self, pid: usize) -> bool {
        self.word(pid / WORD).contains(pid % WORD)
    }

    fn absorb(&mut self, more: &WideSet) {
        let more = match is_active(Fault::WideSetsCut) {
            true => more.0.get(..1).unwrap_or_default(),
            false => &more.0,
        };
        self.reach(more.len());
        for (word, more) in self.0.iter_mut().zip(more) {
            word.absorb(more);
        }
    }

    fn absorb_where(&mut self, more: &WideSet, mut take: impl FnMut(usize) -> bool) {
        for (index, word) in more.0.iter().enumerate() {
            let mut taken = self.word(index);
            taken.absorb_where(word, |pid| take(index * WORD + pid));
            if taken != 0 {
                self.reach(index + 1);
                self.0[index] = taken;
            }
        }
    }

    fn meets(&self, other: &WideSet) -> bool {
        self.beside(other).any(|(ours, theirs)| ours.meets(&theirs))
    }

    fn is_within(&self, other: &WideSet) -> bool {
        self.beside(other)
            .all(|(ours, theirs)| ours.is_within(&theirs))
    }

    fn first_besides(&self, other: &WideSet) -> Option<usize> {
        let mut words = self.beside(other).enumerate();
        words.find_map(|(index, (ours, theirs))| {
            let first = ours.first_besides(&theirs)?;
            Some(index * WORD + first)
        })
    }

    fn common<'s>(&'s self, other: &'s WideSet) -> impl Iterator<Item = usize> {
        self.beside(other)
            .enumerate()
            .flat_map(|(index, (ours, theirs))| {
                bits(ours & theirs).map(move |pid| index * WORD + pid)
            })
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The numbers of the bits of a word, least first.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let least = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(least)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Compares everything that a set can do with a tree.
    fn compare<S: ProcessSet>(a: &BTreeSet<usize>, b: &BTreeSet<usize>, most: usize) {
        let set = |tree: &BTreeSet<usize>| {
            let mut set = S::default();
            tree.iter().rev().for_each(|&pid| set.insert(pid));
            set
        };
        let (x, y) = (set(a), set(b));
        let mut both = x.clone();
        both.absorb(&y);
        assert_eq!(both, set(&(a | b)));
        let mut some = x.clone();
        let mut asked = BTreeSet::new();
        some.absorb_where(&y, |pid| {
            asked.insert(pid);
            pid % 3 == 0
        });
        assert_eq!(asked, b - a);
        let thirds = b.iter().copied().filter(|pid| pid % 3 == 0);
        assert_eq!(some, set(&(a | &thirds.collect())));
        assert_eq!(x.meets(&y), !a.is_disjoint(b));
        assert_eq!(x.is_within(&y), a.is_subset(b));
        assert_eq!(x.first_besides(&y), (a - b).first().copied());
        assert!(x.common(&y).eq((a & b).iter().copied()));
        assert!(x.members().eq(a.iter().copied()));
        assert_eq!(x.is_empty(), a.is_empty());
        assert!((0..most).all(|pid| x.contains(pid) == a.contains(&pid)));
        let first = a.first().copied().unwrap_or(0);
        for count in first + 1..=most {
            assert_eq!(S::range(first, count), set(&(first..count).collect()));
        }
    }

    proptest! {
        #[test]
        fn wide_sets_do_what_trees_do(
            a in prop::collection::btree_set(0usize..330, 0..30),
            b in prop::collection::btree_set(0usize..330, 0..30),
        ) {
            compare::<WideSet>(&a, &b, 330);
        }

        #[test]
        fn words_do_what_trees_do(
            a in prop::collection::btree_set(0usize..64, 0..30),
            b in prop::collection::btree_set(0usize..64, 0..30),
        ) {
            compare::<u64>(&a, &b, 64);
        }
    }
}
