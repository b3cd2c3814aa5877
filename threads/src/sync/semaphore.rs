//! A counting semaphore: VeriSoft's `semwait` and `semsignal`. `std` has none.

use super::of_this_execution;
use crate::runtime::{self, Id};
use ample_stateless::{Kind, Object, Operation};

/// A number of units that can be taken and given.
pub struct Semaphore {
    id: Id,
    units: u32,
}

/// A unit that is given back when this is dropped.
#[must_use]
#[derive(Debug)]
pub struct SemaphorePermit<'s>(&'s Semaphore);

impl Semaphore {
    /// A semaphore with so many units.
    pub const fn new(units: u32) -> Self {
        Semaphore {
            id: Id::new(),
            units,
        }
    }

    fn object(&self) -> Object {
        of_this_execution(&self.id, "Semaphore", u64::from(self.units))
    }

    /// Takes a unit, as soon as there is one.
    #[track_caller]
    pub fn wait(&self) {
        let object = self.object();
        runtime::visible(
            "Semaphore::wait",
            Operation::one(object, Kind::Take(1)),
            |_| 0,
        );
        runtime::acquire(object);
    }

    /// Gives a unit.
    #[track_caller]
    pub fn signal(&self) {
        let object = self.object();
        runtime::release(object);
        runtime::visible(
            "Semaphore::signal",
            Operation::one(object, Kind::Give(1)),
            |_| 0,
        );
    }

    /// Takes a unit that is given back when the permit is dropped.
    #[track_caller]
    pub fn acquire(&self) -> SemaphorePermit<'_> {
        self.wait();
        SemaphorePermit(self)
    }

    /// Takes a unit if there is one.
    #[track_caller]
    pub fn try_acquire(&self) -> Option<SemaphorePermit<'_>> {
        let object = self.object();
        let attempt = Operation::attempt(object, Kind::Take(1));
        let performed = runtime::visible("Semaphore::try_acquire", attempt, |_| 0)?;
        if performed.accesses[0].kind == Kind::Read {
            return None;
        }
        runtime::acquire(object);
        Some(SemaphorePermit(self))
    }
}

impl Drop for SemaphorePermit<'_> {
    fn drop(&mut self) {
        self.0.signal();
    }
}

impl std::fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Semaphore").finish_non_exhaustive()
    }
}
