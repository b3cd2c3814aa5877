//! `std::sync::Mutex`.

use super::of_this_execution;
use super::poison::{Poison, Taken};
use crate::runtime::{self, Id};
use ample_stateless::{Kind, Object, Operation};
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockError, TryLockResult};

/// A lock with data.
#[derive(Default)]
pub struct Mutex<T: ?Sized> {
    id: Id,
    poison: Poison,
    data: UnsafeCell<T>,
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
    taken: Taken,
    not_send: std::marker::PhantomData<*const ()>,
}

impl<T> Mutex<T> {
    /// A free lock.
    pub const fn new(value: T) -> Self {
        Mutex {
            id: Id::new(),
            poison: Poison::new(),
            data: UnsafeCell::new(value),
        }
    }

    /// The data.
    ///
    /// # Errors
    /// If the lock is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        self.poison.result(self.data.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    pub(crate) fn object(&self) -> Object {
        of_this_execution(&self.id, "Mutex", 1)
    }

    pub(super) fn guard(&self) -> LockResult<MutexGuard<'_, T>> {
        let guard = MutexGuard {
            mutex: self,
            taken: Taken::now(),
            not_send: std::marker::PhantomData,
        };
        self.poison.result(guard)
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
        self.poison.get()
    }

    /// Forgets that a thread panicked.
    pub fn clear_poison(&self) {
        self.poison.clear();
    }

    /// The data, through an exclusive reference.
    ///
    /// # Errors
    /// If the lock is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.poison.result(self.data.get_mut())
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
        self.taken.over(&self.mutex.poison);
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
