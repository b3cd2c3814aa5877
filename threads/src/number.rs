//! Numbers for objects before their first use.

use crate::sync::{Mutex, RwLock};

/// An atomic or a lock, or several.
pub trait Numbered {
    /// Gives it a number in the current execution, unless it has one.
    fn number(&self);
}

impl<T: Numbered> Numbered for [T] {
    fn number(&self) {
        self.iter().for_each(Numbered::number);
    }
}

impl<T> Numbered for Mutex<T> {
    fn number(&self) {
        self.object();
    }
}

impl<T> Numbered for RwLock<T> {
    fn number(&self) {
        self.object();
    }
}

/// Tells the explorer of objects before they are used, which is never needed. Without it, objects
/// get numbers when they are first used; if threads that find different things then use them in
/// different orders, a trace may be executed again, or begun in vain and counted as blocked.
pub fn number(objects: &(impl Numbered + ?Sized)) {
    objects.number();
}
