//! `std::sync::RwLock`.

use super::of_this_execution;
use super::poison::{Poison, Taken};
use crate::runtime::{self, Id};
use ample_stateless::{Kind, Object, Operation};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockError, TryLockResult};

/// Units of the lock: a reader takes one, a writer all.
const UNITS: u32 = 1 << 30;

/// A lock with data that many may read or one may write.
#[derive(Default)]
pub struct RwLock<T: ?Sized> {
    id: Id,
    poison: Poison,
    data: UnsafeCell<T>,
}

// SAFETY: as for `Mutex`: the data is reached through guards only, which exist only while the lock
// allows it.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

/// The right to read the data.
#[must_use]
pub struct RwLockReadGuard<'l, T: ?Sized> {
    lock: &'l RwLock<T>,
    not_send: PhantomData<*const ()>,
}

/// The right to write the data.
#[must_use]
pub struct RwLockWriteGuard<'l, T: ?Sized> {
    lock: &'l RwLock<T>,
    taken: Taken,
    not_send: PhantomData<*const ()>,
}

impl<T> RwLock<T> {
    /// A free lock.
    pub const fn new(value: T) -> Self {
        RwLock {
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

impl<T: ?Sized> RwLock<T> {
    pub(crate) fn object(&self) -> Object {
        of_this_execution(&self.id, "RwLock", u64::from(UNITS))
    }

    fn reader(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        runtime::acquire(self.object());
        let guard = RwLockReadGuard {
            lock: self,
            not_send: PhantomData,
        };
        self.poison.result(guard)
    }

    fn writer(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        runtime::acquire(self.object());
        let guard = RwLockWriteGuard {
            lock: self,
            taken: Taken::now(),
            not_send: PhantomData,
        };
        self.poison.result(guard)
    }

    /// Takes units; in an execution that is being given up, at once.
    #[track_caller]
    fn take(&self, what: &'static str, kind: Kind, units: u32) {
        let object = self.object();
        if runtime::visible(what, Operation::one(object, kind), |_| 0).is_none() {
            let free = runtime::value(object);
            assert!(
                free >= u64::from(units),
                "a destructor needs a lock that an abandoned thread has"
            );
            runtime::set_value(object, free - u64::from(units));
        }
    }

    fn give(&self, what: &'static str, kind: Kind, units: u32) {
        let Some(object) = self.id.known() else {
            return;
        };
        runtime::release(object);
        if runtime::visible(what, Operation::one(object, kind), |_| 0).is_none() {
            runtime::set_value(object, runtime::value(object) + u64::from(units));
        }
    }

    /// Takes the lock together with other readers.
    ///
    /// # Errors
    /// If a writer panicked.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        self.take("RwLock::read", Kind::Share, 1);
        self.reader()
    }

    /// Takes the lock alone.
    ///
    /// # Errors
    /// If a writer panicked.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        self.take("RwLock::write", Kind::Take(UNITS), UNITS);
        self.writer()
    }

    /// Takes the lock together with other readers if no writer has it.
    ///
    /// # Errors
    /// If a writer has it, or panicked.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let attempt = Operation::attempt(self.object(), Kind::Share);
        let performed = runtime::visible("RwLock::try_read", attempt, |_| 0);
        if performed.is_none_or(|operation| operation.accesses[0].kind == Kind::Read) {
            return Err(TryLockError::WouldBlock);
        }
        self.reader().map_err(TryLockError::Poisoned)
    }

    /// Takes the lock alone if it is free.
    ///
    /// # Errors
    /// If it is not, or a writer panicked.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let attempt = Operation::attempt(self.object(), Kind::Take(UNITS));
        let performed = runtime::visible("RwLock::try_write", attempt, |_| 0);
        if performed.is_none_or(|operation| operation.accesses[0].kind == Kind::Read) {
            return Err(TryLockError::WouldBlock);
        }
        self.writer().map_err(TryLockError::Poisoned)
    }

    /// Whether a writer panicked.
    pub fn is_poisoned(&self) -> bool {
        self.poison.get()
    }

    /// Forgets that a writer panicked.
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

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: while this guard exists no writer has the lock.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard's thread has the lock alone.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard's thread has the lock alone.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.lock
            .give("the drop of a RwLockReadGuard", Kind::Unshare, 1);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.taken.over(&self.lock.poison);
        let what = "the drop of a RwLockWriteGuard";
        self.lock.give(what, Kind::Give(UNITS), UNITS);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
