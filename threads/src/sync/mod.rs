//! `std::sync`: locks, conditions, channels and atomics whose order the explorer decides.
//!
//! A lock, condition or channel belongs to one execution: create it inside the explored closure.
//! Atomics, [`Once`] and [`OnceLock`] may be `static`: they start anew in each execution.

pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod once;
mod rwlock;
mod semaphore;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceLock};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::{Semaphore, SemaphorePermit};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};

use crate::runtime::Id;
use ample_stateless::Object;

/// The number of an object whose content is not reset between executions.
fn of_this_execution(id: &Id, what: &str, initial: impl FnOnce() -> u64) -> Object {
    assert!(
        !id.is_stale(),
        "a {what} was used in an earlier execution too: create it inside the explored closure, because its content is not reset"
    );
    id.get(initial).0
}
