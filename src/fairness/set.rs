//! Sets of small numbers: processes by their number, or operations by theirs.
//!
//! Nearly always all numbers are below 64, so the first word lies in the set itself and the rest is an empty vector.

/// The set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NumberSet {
    first: u64,
    /// Numbers from 64 on; the last word is never 0.
    more: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl NumberSet {
    /// The set with one number.
    pub fn of(number: usize) -> NumberSet {
        let mut set = NumberSet::default();
        set.insert(number);
        set
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        match number.checked_sub(BITS) {
            None => self.first |= 1 << number,
            Some(rest) => {
                let word = rest / BITS;
                if self.more.len() <= word {
                    self.more.resize(word + 1, 0);
                }
                self.more[word] |= 1 << (rest % BITS);
            }
        }
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.first = 0;
        self.more.clear();
    }

    /// Adds all of another set.
    #[inline]
    pub fn absorb(&mut self, other: &NumberSet) {
        self.first |= other.first;
        if self.more.len() < other.more.len() {
            self.more.resize(other.more.len(), 0);
        }
        for (word, extra) in self.more.iter_mut().zip(&other.more) {
            *word |= extra;
        }
    }

    /// Whether a number is in it.
    pub fn contains(&self, number: usize) -> bool {
        self.words().nth(number / BITS).unwrap_or(0) >> (number % BITS) & 1 == 1
    }

    /// Whether the two have a number in common.
    #[inline]
    pub fn meets(&self, other: &NumberSet) -> bool {
        self.first & other.first != 0 || self.more.iter().zip(&other.more).any(|(a, b)| a & b != 0)
    }

    /// Those of this set that are in the other one too.
    pub fn within(&self, other: &NumberSet) -> NumberSet {
        NumberSet::new(self.words().zip(other.words()).map(|(a, b)| a & b))
    }

    /// Those of this set that are not in the other one.
    pub fn without(&self, other: &NumberSet) -> NumberSet {
        let theirs = other.words().chain(std::iter::repeat(0));
        NumberSet::new(self.words().zip(theirs).map(|(a, b)| a & !b))
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.more.is_empty()
    }

    /// The numbers, least first.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words().enumerate().flat_map(|(index, word)| {
            (0..BITS)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| index * BITS + bit)
        })
    }

    fn new(mut words: impl Iterator<Item = u64>) -> NumberSet {
        let first = words.next().unwrap_or(0);
        let mut more: Vec<u64> = words.collect();
        while more.last() == Some(&0) {
            more.pop();
        }
        NumberSet { first, more }
    }

    fn words(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

impl FromIterator<usize> for NumberSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> NumberSet {
        let mut set = NumberSet::default();
        numbers.into_iter().for_each(|n| set.insert(n));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::NumberSet;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn does_what_a_tree_does(
            a in prop::collection::btree_set(0usize..200, 0..20),
            b in prop::collection::btree_set(0usize..200, 0..20),
        ) {
            let set = |tree: &BTreeSet<usize>| tree.iter().copied().collect::<NumberSet>();
            let (x, y) = (set(&a), set(&b));
            let mut both = x.clone();
            both.absorb(&y);
            prop_assert_eq!(&both, &set(&(&a | &b)));
            prop_assert_eq!(x.within(&y), set(&(&a & &b)));
            prop_assert_eq!(x.without(&y), set(&(&a - &b)));
            prop_assert_eq!(x.meets(&y), !a.is_disjoint(&b));
            prop_assert_eq!(x.is_empty(), a.is_empty());
            prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
            prop_assert!((0..200).all(|n| x.contains(n) == a.contains(&n)));
        }
    }
}
