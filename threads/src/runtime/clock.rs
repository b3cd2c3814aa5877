//! What threads know of each other: clocks of synchronisation, by which data races are found, and
//! the time that has passed.
//!
//! Time is not measured: it passes where a thread sleeps or a wait gives up, and who learns of that
//! thread learns of its time. So it is the same in all equivalent executions.

use super::{is_inside, runtime};
use ample_stateless::{Object, Thread};

/// How much of each thread is known, and how much time has passed (in nanoseconds).
#[derive(Debug, Default)]
pub(crate) struct Clock {
    known: Vec<u32>,
    time: u64,
}

impl Clone for Clock {
    fn clone(&self) -> Self {
        Clock {
            known: self.known.clone(),
            time: self.time,
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.known.clone_from(&other.known);
        self.time = other.time;
    }
}

impl Clock {
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.time = 0;
    }

    fn join(&mut self, from: &Clock) {
        if self.known.len() < from.known.len() {
            self.known.resize(from.known.len(), 0);
        }
        for (mine, &theirs) in self.known.iter_mut().zip(&from.known) {
            *mine = (*mine).max(theirs);
        }
        self.time = self.time.max(from.time);
    }

    /// The place of a thread, which knows at least that it exists.
    pub(super) fn own(&mut self, thread: Thread) -> &mut u32 {
        let index = thread.0 as usize;
        if self.known.len() <= index {
            self.known.resize(index + 1, 0);
        }
        &mut self.known[index]
    }

    /// How much of a thread is known.
    pub(crate) fn of(&self, thread: Thread) -> u32 {
        self.known.get(thread.0 as usize).copied().unwrap_or(0)
    }
}

/// The clocks of all objects.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    clocks: Vec<Clock>,
    /// The objects whose clock is not empty.
    used: Vec<Object>,
}

impl Clocks {
    pub(super) fn clear(&mut self) {
        for object in self.used.drain(..) {
            self.clocks[object.0 as usize].clear();
        }
    }

    fn of(&mut self, object: Object) -> &mut Clock {
        let index = object.0 as usize;
        if index >= self.clocks.len() {
            self.clocks.resize_with(index + 1, Clock::default);
        }
        if self.clocks[index].known.is_empty() {
            self.used.push(object);
        }
        &mut self.clocks[index]
    }
}

/// What the current thread knows becomes known to those who acquire the object.
pub(crate) fn release(object: Object) {
    with_clocks(object, |mine, theirs| theirs.join(mine));
}

/// The same, and what was known there before is forgotten.
pub(crate) fn release_only(object: Object) {
    with_clocks(object, |mine, theirs| theirs.clone_from(mine));
}

/// What is known there is forgotten.
pub(crate) fn forget(object: Object) {
    with_clocks(object, |_, theirs| theirs.clear());
}

/// The current thread knows what was released to the object.
pub(crate) fn acquire(object: Object) {
    with_clocks(object, |mine, theirs| mine.join(theirs));
}

fn with_clocks(object: Object, f: impl FnOnce(&mut Clock, &mut Clock)) {
    if !is_inside() {
        return;
    }
    let mut inner = runtime().inner.borrow_mut();
    let inner = &mut *inner;
    let thread = inner.current;
    let mine = &mut inner.slots[thread.0 as usize].clock;
    mine.own(thread);
    f(mine, inner.clocks.of(object));
    *mine.own(thread) += 1;
}

/// Calls `f` with the current thread, what it knows of each thread, and its own place there. `None`
/// while an execution is given up.
pub(crate) fn with_known<R>(f: impl FnOnce(Thread, &Clock, u32) -> R) -> Option<R> {
    let runtime = runtime();
    if runtime.torn.get() {
        return None;
    }
    let mut inner = runtime.inner.borrow_mut();
    let thread = inner.current;
    let clock = &mut inner.slots[thread.0 as usize].clock;
    let own = clock.own(thread);
    *own = (*own).max(1);
    let own = *own;
    Some(f(thread, clock, own))
}

/// The time that has passed, as far as the current thread knows.
pub(crate) fn now() -> u64 {
    let inner = runtime().inner.borrow();
    inner.slots[inner.current.0 as usize].clock.time
}

/// Time passes for the current thread.
pub(crate) fn pass(duration: std::time::Duration) {
    let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let mut inner = runtime().inner.borrow_mut();
    let current = inner.current.0 as usize;
    let time = &mut inner.slots[current].clock.time;
    *time = time.saturating_add(nanoseconds);
}
