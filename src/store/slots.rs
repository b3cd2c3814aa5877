//! Open addressing for many threads: how a slot is found and taken.
//!
//! A slot is a word; 0 means that it is empty. A slot that was taken is never emptied or changed, so a lookup
//! starts at its home and need not look behind the first empty slot. To add something, the empty slot where the
//! search ended is taken in one step. If another thread was faster, the search goes on from there: what the other one put
//! may be the same. Therefore nothing is ever in the table twice.
//!
//! What a slot stands for is written before the slot is taken, and taking it *releases* what was written: a thread that
//! finds the slot may look at it.

use std::sync::atomic::{AtomicU64, Ordering};

/// A word that threads share; a trait so that the protocol can be checked with other atomics than the processor's.
pub(super) trait Slot {
    /// The word; what it stands for was written before the word was put there.
    fn get(&self) -> u64;

    /// Puts a word into an empty slot; false if it is not empty any more.
    fn take(&self, word: u64) -> bool;
}

impl Slot for AtomicU64 {
    #[inline(always)]
    fn get(&self) -> u64 {
        self.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn take(&self, word: u64) -> bool {
        self.compare_exchange(0, word, Ordering::Release, Ordering::Relaxed)
            .is_ok()
    }
}

/// Where a search for something ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    /// It is there: the word of its slot.
    Found(u64),
    /// It is not there: this slot is empty.
    Free(usize),
}

/// Looks for something from a slot on. `is_it` says whether a word is what is looked for. Some slot must be empty.
#[inline(always)]
pub(super) fn probe<S: Slot>(
    slots: &[S],
    from: usize,
    mut is_it: impl FnMut(u64) -> bool,
) -> Probe {
    let mask = slots.len() - 1;
    let mut at = from & mask;
    loop {
        let word = slots[at].get();
        if word == 0 {
            return Probe::Free(at);
        }
        if is_it(word) {
            return Probe::Found(word);
        }
        at = (at + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicU64 as Checked, Ordering::*};
    use loom::thread;

    impl Slot for Checked {
        fn get(&self) -> u64 {
            self.load(Acquire)
        }

        fn take(&self, word: u64) -> bool {
            self.compare_exchange(0, word, Release, Relaxed).is_ok()
        }
    }

    /// A table of records: the word of a slot is one more than the number of its record.
    struct Table {
        slots: Vec<Checked>,
        records: Vec<UnsafeCell<u32>>,
    }

    /// Adds a key that is written to a record of one's own; whether it was new, and the record that has it.
    fn add(table: &Table, record: usize, key: u32) -> (bool, usize) {
        // SAFETY: no other thread knows this record yet.
        table.records[record].with_mut(|r| unsafe { *r = key });
        let mut from = 0;
        loop {
            // SAFETY: a record that a slot leads to is not written any more; loom complains if it is.
            let is_it = |word: u64| table.records[word as usize - 1].with(|r| unsafe { *r } == key);
            match probe(&table.slots, from, is_it) {
                Probe::Found(word) => return (false, word as usize - 1),
                Probe::Free(at) if table.slots[at].take(record as u64 + 1) => {
                    return (true, record);
                }
                Probe::Free(at) => from = at,
            }
        }
    }

    /// Every schedule of three threads, two of which add the same key: it is new to one of them, all agree on its record,
    /// and no thread reads a record while it is written.
    #[test]
    fn each_key_is_new_to_exactly_one_thread() {
        loom::model(|| {
            let table = Arc::new(Table {
                slots: (0..4).map(|_| Checked::new(0)).collect(),
                records: (0..3).map(|_| UnsafeCell::new(0)).collect(),
            });
            let threads = [(0, 7), (1, 9)].map(|(record, key)| {
                let table = Arc::clone(&table);
                thread::spawn(move || add(&table, record, key))
            });
            let mine = add(&table, 2, 7);
            let [seven, nine] = threads.map(|t| t.join().unwrap());
            assert!(nine.0);
            assert!(mine.0 != seven.0, "{mine:?} {seven:?}");
            assert_eq!(mine.1, seven.1);
            assert_eq!(table.slots.iter().filter(|s| s.get() != 0).count(), 2);
        });
    }
}
