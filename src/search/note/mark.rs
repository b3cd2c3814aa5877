//! The mark of a sweep: where a state stands, in one byte.

use crate::store::{ExactStore, StateId};

/// So many workers have numbers that a mark can hold.
pub(in super::super) const MOST_WORKERS: usize = u8::MAX as usize - 2;

/// Where a state stands; kept with it once there was an ample set. What is not on the stack by then has been left.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(in super::super) enum Mark {
    Closed,
    Open,
    /// On the stack of that worker.
    Waiting(u8),
}

impl Mark {
    #[inline]
    pub(in super::super) fn byte(self) -> u8 {
        match self {
            Mark::Closed => 1,
            Mark::Open => 2,
            Mark::Waiting(worker) => worker + 3,
        }
    }

    /// The mark of a state. One that another worker has just stored may have none yet: nothing is known of it, as of an open one.
    #[inline]
    pub(in super::super) fn of(store: &ExactStore, id: StateId) -> Mark {
        match store.note(id) as u8 {
            0 | 2 => Mark::Open,
            1 => Mark::Closed,
            byte => Mark::Waiting(byte - 3),
        }
    }

    #[inline(always)]
    pub(in super::super) fn put(self, store: &mut ExactStore, id: StateId) {
        store.set_note(id, u64::from(self.byte()));
    }

    /// Changes the mark of a state from this to another one, if it is this.
    #[inline]
    pub(in super::super) fn becomes(self, other: Mark, store: &ExactStore, id: StateId) -> bool {
        let is_this = |note: u64| note == u64::from(self.byte());
        let changed = store.update_note(id, |n| is_this(n).then_some(u64::from(other.byte())));
        changed.is_ok()
    }
}
