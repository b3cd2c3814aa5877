//! What a lock remembers of a panic, for `Mutex` and `RwLock`.

use crate::runtime;
use std::cell::Cell;
use std::sync::{LockResult, PoisonError};

/// Whether a thread panicked while it had the lock.
#[derive(Default)]
pub(super) struct Poison(Cell<bool>);

// SAFETY: all threads of an exploration run on one thread of the system, a lock belongs to one
// execution, and the flag is reached only through methods that panic outside of one.
unsafe impl Sync for Poison {}

impl Poison {
    pub(super) const fn new() -> Self {
        Poison(Cell::new(false))
    }

    pub(super) fn get(&self) -> bool {
        self.0.get()
    }

    pub(super) fn clear(&self) {
        self.0.set(false);
    }

    /// A guard, or the data, with a warning if the lock is poisoned.
    pub(super) fn result<G>(&self, guard: G) -> LockResult<G> {
        match self.get() {
            true => Err(PoisonError::new(guard)),
            false => Ok(guard),
        }
    }
}

/// Whether the thread was panicking when it took the lock.
pub(super) struct Taken {
    panicking: bool,
}

impl Taken {
    pub(super) fn now() -> Self {
        let panicking = std::thread::panicking();
        Taken { panicking }
    }

    /// The lock is given back: a panic that began meanwhile poisons it.
    pub(super) fn over(&self, poison: &Poison) {
        if !self.panicking && std::thread::panicking() && !runtime::is_torn() {
            poison.0.set(true);
        }
    }
}
