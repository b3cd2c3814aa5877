//! How much memory a store may use, and where to go beyond.

use super::Shortage;
use super::words::Words;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A budget that all parts of a store share.
#[derive(Debug)]
pub(super) struct Room {
    limit: AtomicU64,
    used: AtomicU64,
    /// Whether the limit counts for nothing at the moment.
    lifted: AtomicBool,
    /// Whether the system has refused memory, and room for a file.
    refused: AtomicBool,
    disk_full: AtomicBool,
    /// Where words go that find no room in memory.
    spill: Option<PathBuf>,
}

impl Room {
    pub(super) fn new(limit: u64, spill: Option<PathBuf>) -> Room {
        Room {
            limit: AtomicU64::new(limit),
            used: AtomicU64::new(0),
            lifted: AtomicBool::new(false),
            refused: AtomicBool::new(false),
            disk_full: AtomicBool::new(false),
            spill,
        }
    }

    pub(super) fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Does something for which there must be room: the limit counts for nothing while it is done.
    pub(super) fn without_limit<T>(&self, what: impl FnOnce() -> T) -> T {
        self.lifted.store(true, Ordering::Relaxed);
        let done = what();
        self.lifted.store(false, Ordering::Relaxed);
        done
    }

    /// Bytes in use.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Accounts for so many bytes; false, and nothing is accounted for, if there is no room for them.
    pub(super) fn take(&self, bytes: u64) -> bool {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let fits = before + bytes <= self.limit.load(Ordering::Relaxed)
            || self.lifted.load(Ordering::Relaxed);
        if !fits {
            self.give(bytes);
        }
        fits
    }

    /// Accounts for so many bytes, whether or not there is room for them.
    pub(super) fn count(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes are free again.
    pub(super) fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Zeroed words, accounted for if they are in memory; `None` if there is no room.
    pub(super) fn words(&self, count: usize) -> Option<Words> {
        let bytes = (count * size_of::<u64>()) as u64;
        if self.take(bytes) {
            let words = Words::zeroed(count);
            if words.is_some() {
                return words;
            }
            self.give(bytes);
            self.refused.store(true, Ordering::Relaxed);
        }
        let spill = self.spill.as_deref()?;
        // A disk that was full is not tried again: it is asked for every state then.
        if self.disk_full.load(Ordering::Relaxed) {
            return None;
        }
        let words = Words::in_file(count, spill);
        if words.is_none() {
            self.disk_full.store(true, Ordering::Relaxed);
        }
        words
    }

    /// What there is no room for, when there is none.
    pub(super) fn shortage(&self) -> Shortage {
        if self.disk_full.load(Ordering::Relaxed) {
            Shortage::Disk
        } else if self.refused.load(Ordering::Relaxed) {
            Shortage::System
        } else {
            Shortage::Limit
        }
    }
}
