//! `std::time` without a clock. Time passes for a thread where it sleeps and where a wait gives up,
//! and for those who learn of it through synchronisation; nothing else takes time. So a timeout is a
//! choice, and [`Instant`] agrees with what was chosen.

use crate::runtime;
use std::ops::{Add, AddAssign, Sub, SubAssign};

pub use std::time::Duration;

/// A moment of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// The moment that the current thread has come to.
    #[track_caller]
    pub fn now() -> Self {
        runtime::quiet("Instant::now");
        Instant(Duration::from_nanos(runtime::now()))
    }

    /// The time since an earlier moment; 0 if it is a later one.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// The same; `None` if it is a later one.
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_sub(earlier.0)
    }

    /// The same; 0 if it is a later one.
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The time since this moment.
    #[track_caller]
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// A later moment, if it can be represented.
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_add(duration).map(Instant)
    }

    /// An earlier moment, if it can be represented.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_sub(duration).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, duration: Duration) -> Instant {
        Instant(self.0 + duration)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        self.0 += duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, duration: Duration) -> Instant {
        Instant(self.0 - duration)
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        self.0 -= duration;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}
