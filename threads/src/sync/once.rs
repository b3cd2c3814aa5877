//! `std::sync::Once` and `OnceLock`. They may be `static`: each execution finds them empty.

use crate::runtime::{self, Id};
use ample_stateless::{Kind, Object, Operation};
use std::cell::UnsafeCell;
use std::fmt;

/// Not begun, and done. Between the two the object has the value 0 and everybody else waits.
const FRESH: u64 = 1;
const DONE: u64 = 2;

/// Something that is done once.
///
/// Its value is 1 before, 0 while a thread is at it, and 2 after.
pub struct Once {
    id: Id,
}

impl Default for Once {
    fn default() -> Self {
        Once::new()
    }
}

impl Once {
    /// Not done yet.
    pub const fn new() -> Self {
        Once { id: Id::new() }
    }

    fn object(&self) -> Object {
        self.id.get(|| FRESH)
    }

    /// Does it, unless it was done; waits while another thread is at it.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        let object = self.object();
        // Nobody does it who finds it done: the first alternative reads.
        let mut operation = Operation::all([
            ample_stateless::Access::new(object, Kind::Await(DONE as u32)),
            ample_stateless::Access::new(object, Kind::Take(FRESH as u32)),
        ]);
        operation.alternatives = 2;
        let Some(performed) = runtime::visible("Once::call_once", operation, |_| 0) else {
            return;
        };
        runtime::acquire(object);
        if performed.accesses[1].kind == Kind::Nothing {
            return;
        }
        /// Lets the next one try if the closure panics.
        struct Finish(Object, u32);
        impl Drop for Finish {
            fn drop(&mut self) {
                runtime::release(self.0);
                let give = Operation::one(self.0, Kind::Give(self.1));
                runtime::visible("the end of Once::call_once", give, |_| 0);
            }
        }
        let mut finish = Finish(object, FRESH as u32);
        f();
        finish.1 = DONE as u32;
    }

    /// Does it, unless it was done, also if a closure panicked before: such a panic never lasts here.
    #[track_caller]
    pub fn call_once_force(&self, f: impl FnOnce(&OnceState)) {
        self.call_once(|| f(&OnceState(())));
    }

    /// Waits until it was done.
    #[track_caller]
    pub fn wait(&self) {
        let object = self.object();
        let done = Operation::one(object, Kind::Await(DONE as u32));
        runtime::visible("Once::wait", done, |_| 0);
        runtime::acquire(object);
    }

    /// Whether it was done.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        let object = self.object();
        let read = Operation::one(object, Kind::Read);
        let performed = runtime::visible("Once::is_completed", read, |_| 0);
        runtime::acquire(object);
        performed.is_some_and(|operation| operation.accesses[0].before == DONE)
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// What [`Once::call_once_force`] tells its closure.
#[derive(Debug)]
pub struct OnceState(());

impl OnceState {
    /// Whether an earlier closure panicked: never, the next one starts anew.
    pub fn is_poisoned(&self) -> bool {
        false
    }
}

/// A value that is set once.
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: as for `Mutex`: the value is written by the one thread for which `call_once` runs its
// closure, and read after that only; and all threads of an exploration run on one thread of the
// system.
unsafe impl<T: Send> Send for OnceLock<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> OnceLock<T> {
    /// Without a value.
    pub const fn new() -> Self {
        OnceLock {
            once: Once::new(),
            value: UnsafeCell::new(None),
        }
    }

    /// Whether it has a value. What an earlier execution left there does not count.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if !self.once.is_completed() {
            return None;
        }
        // SAFETY: the value was written before `is_completed` became true, and is not written again
        // in this execution.
        unsafe { &*self.value.get() }.as_ref()
    }

    /// Sets the value.
    ///
    /// # Errors
    /// If it has one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.once.call_once(|| self.store(value.take()));
        value.map_or(Ok(()), Err)
    }

    fn store(&self, value: Option<T>) {
        // SAFETY: only the closure of `call_once` comes here, once per execution, and `get` gives
        // out references only after it. A reference from an earlier execution is gone with that
        // execution.
        unsafe { *self.value.get() = value };
    }

    /// The value, which is made if there is none.
    #[track_caller]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        self.once.call_once(|| self.store(Some(f())));
        // SAFETY: as in `get`.
        let value = unsafe { &*self.value.get() };
        value.as_ref().expect("the value was made")
    }

    /// The value, as soon as it has one.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait();
        // SAFETY: as in `get`.
        let value = unsafe { &*self.value.get() };
        value.as_ref().expect("the value was made")
    }

    /// The value, through an exclusive reference.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// Takes the value away: it can be set again.
    pub fn take(&mut self) -> Option<T> {
        self.once = Once::new();
        self.value.get_mut().take()
    }

    /// The value, if it has one.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }
}

impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceLock").finish_non_exhaustive()
    }
}
