//! `std::sync`: locks, conditions, channels and atomics whose order the explorer decides.
//!
//! A lock, condition or channel belongs to one execution: create it inside the explored closure.
//! Atomics, [`Once`], [`OnceLock`] and [`LazyLock`] may be `static`: they start anew in each execution.

pub mod atomic;
mod barrier;
mod condvar;
mod lazy;
pub mod mpsc;
mod mutex;
mod once;
mod poison;
mod rwlock;
mod semaphore;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy::LazyLock;
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceLock, OnceState};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::{Semaphore, SemaphorePermit};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};

use crate::runtime::{self, Id};
use ample_stateless::Object;

/// The number of an object whose content is not reset between executions.
fn of_this_execution(id: &Id, what: &'static str, initial: u64) -> Object {
    if let Some(object) = id.known() {
        return object;
    }
    assert!(
        !id.is_stale(),
        "a {what} was used in an earlier execution too: create it inside the explored closure, because its content is not reset"
    );
    let object = id.get(|| initial);
    if matches!(what, "Mutex" | "RwLock") {
        runtime::lock_exists(object, initial, what);
    }
    object
}
