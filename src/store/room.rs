//! How much memory a store may use, and where to go beyond.

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
    /// Where words go that find no room in memory.
    spill: Option<PathBuf>,
}

impl Room {
    pub(super) fn new(limit: u64, spill: Option<PathBuf>) -> Room {
        Room {
            limit: AtomicU64::new(limit),
            used: AtomicU64::new(0),
            lifted: AtomicBool::new(false),
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
        if self.take((count * size_of::<u64>()) as u64) {
            return Some(Words::zeroed(count));
        }
        Words::in_file(count, self.spill.as_deref()?)
    }
}
