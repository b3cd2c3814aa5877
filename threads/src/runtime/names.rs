//! Numbers of threads: by parent and place among the parent's children. All workers of an
//! exploration give the same thread the same number.

use ample_stateless::Thread;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// The numbers given so far, in the order in which they were first needed.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<FxHashMap<(Thread, usize), Thread>>);

impl Names {
    /// The number of a child. The main thread has 0.
    pub(super) fn child(&self, parent: Thread, nth: usize) -> Thread {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Thread(names.len() as u32 + 1);
        *names.entry((parent, nth)).or_insert(next)
    }
}
