//! `std::sync::LazyLock`. It may be `static`: each execution finds it without a value.

use super::OnceLock;
use std::fmt;
use std::ops::Deref;

/// A value that is made when it is first used.
///
/// In each execution anew, if it is `static`: so the function is an `Fn`, where `std` takes an
/// `FnOnce`.
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    initial: F,
}

impl<T, F: Fn() -> T> LazyLock<T, F> {
    /// A value that this function makes.
    pub const fn new(initial: F) -> Self {
        LazyLock {
            value: OnceLock::new(),
            initial,
        }
    }

    /// Makes the value now, if it was not made.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.value.get_or_init(|| (this.initial)())
    }
}

impl<T, F: Fn() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> Self {
        LazyLock::new(T::default)
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock").finish_non_exhaustive()
    }
}
