//! Numbers of threads: by parent and place among the parent's children. All workers of an
//! exploration give the same thread the same number.

use ample_stateless::Thread;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// The numbers given so far, in the order in which they were first needed.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<FxHashMap<(Thread, usize), Thread>>);

impl Names {
    /// All numbers, as three numbers each.
    pub(super) fn remember(&self) -> Vec<u64> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<[u64; 3]> = (names.iter())
            .map(|((parent, nth), child)| [parent.0.into(), *nth as u64, child.0.into()])
            .collect();
        all.sort_unstable();
        all.concat()
    }

    /// Takes over what another one remembered. `false` if it makes no sense.
    pub(super) fn recall(&self, memory: &[u64]) -> bool {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.clear();
        let (all, rest) = memory.as_chunks::<3>();
        for &[parent, nth, child] in all {
            let (Ok(parent), Ok(child)) = (u32::try_from(parent), u32::try_from(child)) else {
                return false;
            };
            names.insert((Thread(parent), nth as usize), Thread(child));
        }
        rest.is_empty()
    }

    /// The number of a child. The main thread has 0.
    pub(super) fn child(&self, parent: Thread, nth: usize) -> Thread {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Thread(names.len() as u32 + 1);
        *names.entry((parent, nth)).or_insert(next)
    }
}
