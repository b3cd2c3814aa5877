//! Numbers of objects. Those of threads follow from the thread; all others get one when an
//! operation on them is first announced in an execution, and remember it themselves.

use super::{is_inside, runtime};
use ample_stateless::{Object, Thread};
use std::sync::atomic::{AtomicU64, Ordering};

/// Objects that belong to threads have odd numbers, three per thread; all others have even ones.
fn of_thread(thread: Thread, which: u32) -> Object {
    Object(2 * (3 * thread.0 + which) + 1)
}

/// Given at the end of a thread.
pub(crate) fn end_of(thread: Thread) -> Object {
    of_thread(thread, 0)
}

/// What `unpark` leaves for `park`.
pub(crate) fn parking_of(thread: Thread) -> Object {
    of_thread(thread, 1)
}

/// Given to a thread that waits for a condition when it is notified.
pub(crate) fn token_of(thread: Thread) -> Object {
    of_thread(thread, 2)
}

/// Executions have numbers that are different in the whole process. The lowest bits are the number
/// of the worker.
const WORKERS: u64 = 1 << 8;
static EPOCHS: AtomicU64 = AtomicU64::new(1);

/// The number of a new execution by this worker.
pub(super) fn new_epoch(worker: usize) -> u64 {
    EPOCHS.fetch_add(1, Ordering::Relaxed) * WORKERS + worker as u64 % WORKERS
}

/// The number of an object, remembered by the object itself.
#[derive(Default)]
pub(crate) struct Id {
    epoch: AtomicU64,
    number: AtomicU64,
}

impl Id {
    pub(crate) const fn new() -> Self {
        Id {
            epoch: AtomicU64::new(0),
            number: AtomicU64::new(0),
        }
    }

    /// The object's number, if it has one in this execution.
    pub(crate) fn known(&self) -> Option<Object> {
        let epoch = is_inside().then(|| runtime().epoch.get())?;
        (self.epoch.load(Ordering::Relaxed) == epoch)
            .then(|| Object(self.number.load(Ordering::Relaxed) as u32))
    }

    /// The object's number. In its first use in an execution it gets one, with an initial value.
    pub(crate) fn get(&self, initial: impl FnOnce() -> u64) -> Object {
        let runtime = runtime();
        let (mine, last) = (runtime.epoch.get(), self.epoch.load(Ordering::Relaxed));
        if last == mine {
            return Object(self.number.load(Ordering::Relaxed) as u32);
        }
        // What several workers reach is a `static`; it has room for the number of one of them.
        let is_mine = last == 0 || !runtime.has_others || last % WORKERS == mine % WORKERS;
        let order = Ordering::Relaxed;
        assert!(
            is_mine
                && self
                    .epoch
                    .compare_exchange(last, mine, order, order)
                    .is_ok(),
            "a `static` atomic, `Once` or lock cannot be explored by several workers: create it inside the explored closure"
        );
        let mut inner = runtime.inner.borrow_mut();
        let object = Object(2 * inner.objects);
        inner.objects += 1;
        inner.values.set(object, initial());
        drop(inner);
        self.number.store(u64::from(object.0), Ordering::Relaxed);
        object
    }

    /// Whether it had a number in an earlier execution, and has none in this one.
    pub(crate) fn is_stale(&self) -> bool {
        self.epoch.load(Ordering::Relaxed) != 0 && self.known().is_none()
    }
}
