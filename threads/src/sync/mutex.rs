//! `std::sync::Mutex`.

use super::of_this_execution;
use crate::runtime::{self, Id};
use ample_stateless::{Kind, Object, Operation};
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// A lock with data.
#[derive(Default)]
pub struct Mutex<T: ?Sized> {
    id: Id,
    poisoned: Flag,
    data: UnsafeCell<T>,
}

/// A flag that only the holder of a lock touches.
#[derive(Default)]
pub(super) struct Flag(Cell<bool>);

// SAFETY: all threads of an exploration run on one thread of the system, explorations take turns,
// and the flag is reached only through methods that panic outside of one.
unsafe impl Sync for Flag {}

impl Flag {
    pub(super) const fn new() -> Self {
        Flag(Cell::new(false))
    }

    pub(super) fn get(&self) -> bool {
        self.0.get()
    }

    pub(super) fn set(&self, value: bool) {
        self.0.set(value);
    }
}

// SAFETY: the data is reached through a guard only. A guard exists only while the explorer's value
// of the lock says that its thread has it, and all threads of an exploration run on one thread of
// the system; elsewhere `lock` panics.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// The right to use the data.
#[must_use]
pub struct MutexGuard<'m, T: ?Sized> {
    pub(super) mutex: &'m Mutex<T>,
    panicking: bool,
    not_send: std::marker::PhantomData<*const ()>,
}

impl<T> Mutex<T> {
    /// A free lock.
    pub const fn new(value: T) -> Self {
        Mutex {
            id: Id::new(),
            poisoned: Flag::new(),
            data: UnsafeCell::new(value),
        }
    }

    /// The data.
    ///
    /// # Errors
    /// If the lock is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.poisoned.get();
        result(poisoned, self.data.into_inner())
    }
}

fn result<G>(poisoned: bool, guard: G) -> LockResult<G> {
    if poisoned {
        Err(PoisonError::new(guard))
    } else {
        Ok(guard)
    }
}

impl<T: ?Sized> Mutex<T> {
    pub(crate) fn object(&self) -> Object {
        of_this_execution(&self.id, "Mutex", || 1)
    }

    pub(super) fn guard(&self) -> LockResult<MutexGuard<'_, T>> {
        let guard = MutexGuard {
            mutex: self,
            panicking: std::thread::panicking(),
            not_send: std::marker::PhantomData,
        };
        result(self.poisoned.get(), guard)
    }

    /// Takes the lock.
    ///
    /// # Errors
    /// If a thread panicked while it had the lock.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let object = self.object();
        let take = Operation::one(object, Kind::Take(1));
        if runtime::visible("Mutex::lock", take, |_| 0).is_none() {
            self.take_torn(object);
        }
        runtime::acquire(object);
        self.guard()
    }

    /// Takes the lock in an execution that is being given up.
    pub(super) fn take_torn(&self, object: Object) {
        assert!(
            runtime::value(object) == 1,
            "a destructor needs a lock that an abandoned thread has"
        );
        runtime::set_value(object, 0);
    }

    /// Takes the lock if it is free.
    ///
    /// # Errors
    /// If it is not, or if a thread panicked while it had the lock.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let object = self.object();
        let attempt = Operation::attempt(object, Kind::Take(1));
        let performed = runtime::visible("Mutex::try_lock", attempt, |_| 0);
        if performed.is_none_or(|operation| operation.accesses[0].kind == Kind::Read) {
            return Err(TryLockError::WouldBlock);
        }
        runtime::acquire(object);
        self.guard().map_err(TryLockError::Poisoned)
    }

    /// Whether a thread panicked while it had the lock.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.get()
    }

    /// Forgets that a thread panicked.
    pub fn clear_poison(&self) {
        self.poisoned.set(false);
    }

    /// The data, through an exclusive reference.
    ///
    /// # Errors
    /// If the lock is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.poisoned.get();
        result(poisoned, self.data.get_mut())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Mutex::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard's thread has the lock.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard's thread has the lock.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        if !self.panicking && std::thread::panicking() && !runtime::is_torn() {
            self.mutex.poisoned.set(true);
        }
        let Some(object) = self.mutex.id.known() else {
            return;
        };
        runtime::release(object);
        let give = Operation::one(object, Kind::Give(1));
        if runtime::visible("the drop of a MutexGuard", give, |_| 0).is_none() {
            runtime::set_value(object, 1);
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
