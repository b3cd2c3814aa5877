//! `std::cell` for data that threads share without locks: accesses without order are findings.
//!
//! An access is not a visible operation and costs no executions. Each cell remembers who accessed
//! it last and what the others must know of that. Knowledge flows only through synchronisation:
//! locks, joins, channels, and atomics whose order is at least `Acquire` on one side and `Release`
//! on the other. Two accesses of which one writes and neither knows of the other are a data race,
//! in whatever order they were executed.

use crate::runtime;
use ample_stateless::Thread;
use std::panic::Location;
use std::sync::Mutex;

pub use std::cell::{Cell, RefCell};

/// An access to a cell.
#[derive(Clone, Copy)]
struct Access {
    thread: Thread,
    time: u32,
    place: &'static Location<'static>,
}

#[derive(Default)]
struct Log {
    epoch: Option<u64>,
    write: Option<Access>,
    reads: Vec<Access>,
}

/// `std::cell::UnsafeCell` whose accesses are checked: use [`UnsafeCell::with`] and
/// [`UnsafeCell::with_mut`].
pub struct UnsafeCell<T: ?Sized> {
    log: Mutex<Log>,
    value: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell.
    pub const fn new(value: T) -> Self {
        let log = Log {
            epoch: None,
            write: None,
            reads: Vec::new(),
        };
        UnsafeCell {
            log: Mutex::new(log),
            value: std::cell::UnsafeCell::new(value),
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// A pointer to the value. What is done with it is not checked.
    pub fn get(&self) -> *mut T {
        self.value.get()
    }

    /// The value, through an exclusive reference.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Reads the value. The pointer must not leave the closure.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        self.record(false);
        f(self.value.get())
    }

    /// Writes the value. The pointer must not leave the closure.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        self.record(true);
        f(self.value.get())
    }

    #[track_caller]
    fn record(&self, is_write: bool) {
        let place = Location::caller();
        runtime::quiet("an access to a cell");
        runtime::with_known(|thread, clock, time| self.judge(is_write, place, thread, clock, time))
            .flatten()
            .into_iter()
            .for_each(|(thread, verb, other)| {
                let (name, number) = (runtime::called(thread), runtime::called(other.thread));
                runtime::fail(format!(
                    "data race: {name} {verb} a cell ({place}) without knowing of the access by {number} ({})",
                    other.place
                ));
            });
    }

    /// Notes an access; the other one if it is a race.
    fn judge(
        &self,
        is_write: bool,
        place: &'static Location<'static>,
        thread: Thread,
        clock: &runtime::Clock,
        time: u32,
    ) -> Option<(Thread, &'static str, Access)> {
        let mut log = self.log.lock().unwrap_or_else(|e| e.into_inner());
        let epoch = Some(runtime::epoch());
        if log.epoch != epoch {
            *log = Log {
                epoch,
                ..Log::default()
            };
        }
        let unknown =
            |other: &&Access| other.thread != thread && clock.of(other.thread) < other.time;
        let reads = log.reads.iter().filter(|_| is_write);
        let race = log.write.iter().chain(reads).find(unknown).copied();
        let verb = if is_write { "writes" } else { "reads" };
        let access = Access {
            thread,
            time,
            place,
        };
        if is_write {
            log.write = Some(access);
            log.reads.clear();
        } else {
            log.reads.retain(|read| read.thread != thread);
            log.reads.push(access);
        }
        race.map(|other| (thread, verb, other))
    }
}

impl<T: ?Sized> std::fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}
