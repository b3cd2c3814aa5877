//! Stores that keep less than a state: fingerprints, or bits.
//!
//! A search that asks such a store whether a state is new may be told no although it is: the state, and what can only be
//! reached through it, is then left out. It is never told yes about a state that was there. So a violation found is a
//! violation, and finding none proves nothing; how likely it is that something was left out is what [`Loss`] says.
//!
//! Both stores see nothing of a state but its [`Fingerprint`], 64 bits. Marks that a search wants to keep with a state
//! are entries of their own, under a fingerprint derived from the state's.
//!
//! Many threads may use a store at the same time: a clone is another thread's view of it. A fingerprint is new to exactly one
//! of them.

use super::bits::Bits;
use super::compact::Compact;
use super::mix;
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

/// 64 bits that stand for a state.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Of a state.
    #[inline]
    pub fn of(key: &[u8]) -> Fingerprint {
        Fingerprint(rapidhash_v3_inline::<true, false, false>(
            key,
            &DEFAULT_RAPID_SECRETS,
        ))
    }

    /// Of a mark on that state.
    #[inline]
    pub fn marked(self, mark: u32) -> Fingerprint {
        Fingerprint(mix(self.0 ^ (u64::from(mark) + 1) << 32))
    }

    /// The bits.
    pub fn raw(self) -> u64 {
        self.0
    }
}

/// Maps 64 evenly distributed bits to a number below `below`, larger to larger.
#[inline]
pub(super) fn scaled(hash: u64, below: u64) -> usize {
    ((u128::from(hash) * u128::from(below)) >> 64) as usize
}

/// What a lossy store keeps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LossyKind {
    /// The fingerprint.
    Compact,
    /// Some bits of an array.
    Bits {
        /// Size of the array.
        bytes: u64,
        /// Bits a state.
        hashes: u32,
        /// Chooses among families of hash functions.
        seed: u64,
    },
}

/// A set of fingerprints that may take some for others, as one thread sees it.
#[derive(Clone, Debug)]
pub enum LossyStore {
    /// Hash-compact.
    Compact(Compact),
    /// Bitstate.
    Bits(Bits),
}

impl LossyStore {
    /// An empty one.
    pub fn new(kind: LossyKind) -> LossyStore {
        match kind {
            LossyKind::Compact => LossyStore::Compact(Compact::default()),
            LossyKind::Bits {
                bytes,
                hashes,
                seed,
            } => LossyStore::Bits(Bits::new(bytes, hashes, seed)),
        }
    }

    /// Says that this will be asked for soon.
    #[inline]
    pub fn prefetch(&self, fingerprint: Fingerprint) {
        match self {
            LossyStore::Compact(store) => store.prefetch(fingerprint.0),
            LossyStore::Bits(store) => store.prefetch(fingerprint.0),
        }
    }

    /// Whether it seems to be there.
    #[inline]
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        let mut found = false;
        self.find_all(std::iter::once(fingerprint), |there| found = there);
        found
    }

    /// Says of each whether it seems to be there.
    #[inline]
    pub fn find_all(
        &self,
        fingerprints: impl Iterator<Item = Fingerprint>,
        mut tell: impl FnMut(bool),
    ) {
        let all = fingerprints.map(Fingerprint::raw);
        match self {
            LossyStore::Compact(store) => store.find_all(all, tell),
            LossyStore::Bits(store) => all.for_each(|raw| tell(store.contains(raw))),
        }
    }

    /// Adds it; says whether it was new.
    #[inline]
    pub fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        let mut new = false;
        self.insert_all(std::iter::once(fingerprint), |answer| new = answer);
        new
    }

    /// Adds them one after the other, which is faster together; says of each whether it was new.
    #[inline]
    pub fn insert_all(
        &mut self,
        fingerprints: impl Iterator<Item = Fingerprint>,
        tell: impl FnMut(bool),
    ) {
        let all = fingerprints.map(Fingerprint::raw);
        match self {
            LossyStore::Compact(store) => store.insert_all(all, tell),
            LossyStore::Bits(store) => store.insert_all(all, tell),
        }
    }

    /// Bytes of memory in use, all included.
    pub fn bytes(&self) -> u64 {
        match self {
            LossyStore::Compact(store) => store.bytes(),
            LossyStore::Bits(store) => store.bytes(),
        }
    }

    /// What may have been left out of a search that stored that many states.
    pub fn loss(&self, states: u64) -> Loss {
        let (entries, by_bits, hash_factor) = match self {
            LossyStore::Compact(store) => (store.len(), 0.0, None),
            LossyStore::Bits(store) => {
                let factor = store.hash_factor();
                (store.len(), store.expected_omissions(), Some(factor))
            }
        };
        // Pairs of entries, each of which have the same fingerprint once in 2^64.
        let entries = entries as f64;
        let by_fingerprint = entries * (entries - 1.0).max(0.0) / 2.0 / 2f64.powi(64);
        Loss {
            states,
            omissions: by_bits + by_fingerprint,
            hash_factor,
        }
    }
}

/// What a lossy store may have left out.
///
/// The figures are estimates under the usual assumption that hash values are as good as random. They count the states that
/// were taken for others when they were first reached; what is reachable through these alone comes on top.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Loss {
    /// States stored.
    pub states: u64,
    /// The number of states expected to have been taken for others.
    pub omissions: f64,
    /// For bits: how many there are for each entry, as SPIN has it. Above 100 little is lost.
    pub hash_factor: Option<f64>,
}

impl Loss {
    /// The probability that some state was left out.
    pub fn probability(&self) -> f64 {
        -(-self.omissions).exp_m1()
    }

    /// The part of the states met that was visited, as expected.
    pub fn coverage(&self) -> f64 {
        let states = self.states as f64;
        match states + self.omissions {
            0.0 => 1.0,
            all => states / all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const BITS: LossyKind = LossyKind::Bits {
        bytes: 1 << 20,
        hashes: 3,
        seed: 7,
    };

    proptest! {
        /// What was inserted is there; what is new by the store's word is new indeed. Compact keeps all 64 bits.
        #[test]
        fn never_forgets(values in prop::collection::vec(2u64..400, 0..3000), spread in any::<bool>()) {
            for kind in [LossyKind::Compact, BITS] {
                let mut store = LossyStore::new(kind);
                let mut known = HashSet::new();
                for &value in &values {
                    // Clusters are the worst case of an ordered table.
                    let fingerprint = Fingerprint(if spread { mix(value) } else { value });
                    prop_assert!(!known.contains(&fingerprint) || store.contains(fingerprint));
                    let new = store.insert(fingerprint);
                    prop_assert!(!new || !known.contains(&fingerprint));
                    if kind == LossyKind::Compact {
                        prop_assert_eq!(new, !known.contains(&fingerprint));
                    }
                    known.insert(fingerprint);
                    prop_assert!(store.contains(fingerprint));
                }
            }
        }
    }

    /// Four threads insert the same, each beginning somewhere else: every fingerprint is new to one of them, all are there in
    /// the end, and the table grows many times meanwhile.
    #[test]
    fn each_is_new_to_exactly_one_thread() {
        const COUNT: u64 = 60_000;
        const THREADS: u64 = 4;
        let large = LossyKind::Bits {
            bytes: 1 << 24,
            hashes: 3,
            seed: 7,
        };
        for kind in [LossyKind::Compact, large] {
            let store = LossyStore::new(kind);
            let insert = |thread: u64| {
                let mut view = store.clone();
                let from = thread / 2 * COUNT / THREADS;
                let numbers: Vec<u64> = (0..COUNT).map(|i| (from + i) % COUNT).collect();
                let mut new = 0u64;
                for batch in numbers.chunks(5) {
                    let all = batch.iter().map(|&n| Fingerprint(mix(n + 1)));
                    view.insert_all(all, |answer| new += u64::from(answer));
                }
                new
            };
            let new: u64 = std::thread::scope(|scope| {
                let insert = &insert;
                let threads: Vec<_> = (0..THREADS)
                    .map(|t| scope.spawn(move || insert(t)))
                    .collect();
                threads.into_iter().map(|t| t.join().unwrap_or(0)).sum()
            });
            let loss = store.loss(new);
            match kind {
                LossyKind::Compact => assert_eq!(new, COUNT),
                // The few that look like others.
                LossyKind::Bits { .. } => assert!(new <= COUNT && new > COUNT - 10, "{new}"),
            }
            assert!(loss.omissions < 10.0, "{loss:?}");
            assert!((0..COUNT).all(|n| store.contains(Fingerprint(mix(n + 1)))));
            let len = match &store {
                LossyStore::Compact(store) => store.len(),
                LossyStore::Bits(store) => store.len(),
            };
            assert_eq!(len, new);
        }
    }

    #[test]
    fn compact_takes_little_room_at_any_size() {
        let mut store = LossyStore::new(LossyKind::Compact);
        assert!(store.bytes() < 100_000);
        for i in 1..=1_000_000u64 {
            assert!(store.insert(Fingerprint(mix(i))));
            if i >= 100_000 && i % 20_000 == 0 {
                let each = store.bytes() as f64 / i as f64;
                assert!(each <= 12.0, "{each} bytes for each of {i}");
            }
        }
        assert!((1..=1_000_000).all(|i| store.contains(Fingerprint(mix(i)))));
    }

    #[test]
    fn the_loss_of_bits_is_as_estimated() {
        for (hashes, entries) in [(1, 30_000u64), (2, 60_000), (3, 90_000)] {
            let mut store = LossyStore::new(LossyKind::Bits {
                bytes: 1 << 17,
                hashes,
                seed: 1,
            });
            let new = (1..=entries).filter(|&i| store.insert(Fingerprint(mix(i))));
            let stored = new.count() as u64;
            let (lost, loss) = ((entries - stored) as f64, store.loss(stored));
            assert!(
                (0.85..1.15).contains(&(lost / loss.omissions)),
                "{hashes}: {lost} of {}",
                loss.omissions
            );
            assert!(loss.probability() > 0.99 && loss.coverage() < 1.0);
        }
    }

    #[test]
    fn seeds_choose_other_bits() {
        let omitted = |seed| {
            let mut store = LossyStore::new(LossyKind::Bits {
                bytes: 1 << 12,
                hashes: 2,
                seed,
            });
            (0..9_000u64)
                .filter(|&i| !store.insert(Fingerprint(mix(i))))
                .collect::<Vec<_>>()
        };
        assert_eq!(omitted(1), omitted(1));
        assert_ne!(omitted(1), omitted(2));
    }
}
