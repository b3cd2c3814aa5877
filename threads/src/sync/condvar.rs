//! `std::sync::Condvar`. Any of the waiting threads may be the one that is notified: all are
//! explored. A wait with a timeout may give up at any time, and any wait may end without a reason if
//! [`Builder::spurious`](crate::Builder::spurious) says so.

use super::mutex::MutexGuard;
use super::of_this_execution;
use crate::runtime::{self, Id};
use ample_stateless::{Access, Kind, Operation};
use std::fmt;
use std::mem::forget;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

/// A condition to wait for.
pub struct Condvar {
    id: Id,
}

/// Whether a wait gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether it did.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Condvar::new()
    }
}

impl Condvar {
    /// A condition that nobody waits for.
    pub const fn new() -> Self {
        Condvar { id: Id::new() }
    }

    fn object(&self) -> ample_stateless::Object {
        of_this_execution(&self.id, "Condvar", 0)
    }

    /// Leaves the lock, waits, and takes it again. Whether it gave up, after this time.
    #[track_caller]
    fn pause<T: ?Sized>(&self, guard: &MutexGuard<'_, T>, timeout: Option<Duration>) -> bool {
        let gives_up = timeout.is_some() || runtime::may_be_spurious();
        let condition = self.object();
        let lock = guard.mutex.object();
        runtime::release(lock);
        let enter = Operation::all([
            Access::new(condition, Kind::Enter),
            Access::new(lock, Kind::Give(1)),
        ]);
        let what = match timeout {
            Some(_) => "Condvar::wait_timeout",
            None => "Condvar::wait",
        };
        if runtime::visible(what, enter, |_| 0).is_none() {
            return true;
        }
        runtime::enter(condition);
        let token = runtime::token_of(runtime::current());
        let notified = Access::new(token, Kind::Take(1));
        let relock = Access::new(lock, Kind::Take(1));
        let (what, wake) = if gives_up {
            let leave = Access::new(condition, Kind::Leave);
            let mut wake = Operation::all([notified, leave, relock]);
            wake.alternatives = 2;
            ("the wakeup from a wait", wake)
        } else {
            (
                "the wakeup from Condvar::wait",
                Operation::all([notified, relock]),
            )
        };
        let Some(woken) = runtime::visible(what, wake, |_| 0) else {
            return true;
        };
        let timed_out = woken.accesses[0].kind == Kind::Read;
        if timed_out {
            runtime::leave(condition);
            match timeout {
                Some(timeout) => runtime::pass(timeout),
                None => runtime::was_spurious(),
            }
        }
        runtime::acquire(lock);
        timed_out
    }

    /// Leaves the lock, waits until it is notified, and takes the lock again.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait<'m, T: ?Sized>(&self, guard: MutexGuard<'m, T>) -> LockResult<MutexGuard<'m, T>> {
        self.pause(&guard, None);
        let mutex = guard.mutex;
        // The lock is taken again, or the unwinding gave it back.
        forget(guard);
        mutex.guard()
    }

    /// Waits as long as a condition holds.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait_while<'m, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'m, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'m, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits until it is notified, or gives up at any time.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait_timeout<'m, T: ?Sized>(
        &self,
        guard: MutexGuard<'m, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'m, T>, WaitTimeoutResult)> {
        let timed_out = WaitTimeoutResult(self.pause(&guard, Some(timeout)));
        let mutex = guard.mutex;
        forget(guard);
        match mutex.guard() {
            Ok(guard) => Ok((guard, timed_out)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), timed_out))),
        }
    }

    /// Waits as long as a condition holds, or gives up at any time.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait_timeout_while<'m, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'m, T>,
        duration: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'m, T>, WaitTimeoutResult)> {
        loop {
            if !condition(&mut guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let (again, result) = self.wait_timeout(guard, duration)?;
            guard = again;
            if result.timed_out() {
                let timed_out = condition(&mut guard);
                return Ok((guard, WaitTimeoutResult(timed_out)));
            }
        }
    }

    /// Notifies one thread that waits.
    #[track_caller]
    pub fn notify_one(&self) {
        runtime::notify("Condvar::notify_one", self.object(), false);
    }

    /// Notifies all threads that wait.
    #[track_caller]
    pub fn notify_all(&self) {
        runtime::notify("Condvar::notify_all", self.object(), true);
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
