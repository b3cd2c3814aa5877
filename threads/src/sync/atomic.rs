//! `std::sync::atomic`, sequentially consistent whatever order is asked for. Orders matter for
//! [`crate::cell`] only.

use crate::runtime::{self, Id, Ways};
use ample_stateless::{Access, Kind, Object, Operation};
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64 as Word;

pub use std::sync::atomic::Ordering;

/// The bits of an atomic, and its number.
struct Bits {
    id: Id,
    /// The value at the beginning of an execution, or when nobody else can reach it.
    initial: Word,
}

fn acquires(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

fn releases(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}

fn note(order: Ordering) {
    if order != Ordering::SeqCst {
        runtime::weak_order();
    }
}

impl Bits {
    const fn new(value: u64) -> Self {
        Bits {
            id: Id::new(),
            initial: Word::new(value),
        }
    }

    fn object(&self) -> Object {
        self.id.get(|| self.initial.load(Ordering::Relaxed))
    }

    /// The value, for somebody who knows that nobody else uses it.
    fn alone(&self) -> u64 {
        match self.id.known() {
            Some(object) => runtime::value(object),
            None => self.initial.load(Ordering::Relaxed),
        }
    }

    #[track_caller]
    fn load(&self, what: &'static str, order: Ordering) -> u64 {
        note(order);
        let object = self.object();
        let read = Operation::one(object, Kind::Read);
        let Some(performed) = runtime::visible(what, read, |_| 0) else {
            return runtime::value(object);
        };
        if acquires(order) {
            runtime::acquire(object);
        }
        performed.accesses[0].before
    }

    #[track_caller]
    fn store(&self, what: &'static str, value: u64, order: Ordering) {
        note(order);
        let object = self.object();
        let write = Operation::one(object, Kind::Write);
        if runtime::visible(what, write, |_| value).is_none() {
            runtime::set_value(object, value);
        } else if releases(order) {
            runtime::release_only(object);
        } else {
            runtime::forget(object);
        }
    }

    #[track_caller]
    fn update(&self, what: &'static str, order: Ordering, f: impl Fn(u64) -> u64) -> u64 {
        note(order);
        let object = self.object();
        let update = Operation::one(object, Kind::Update);
        let Some(performed) = runtime::visible(what, update, |access| f(access.before)) else {
            let old = runtime::value(object);
            runtime::set_value(object, f(old));
            return old;
        };
        self.synchronise(object, order);
        performed.accesses[0].before
    }

    fn synchronise(&self, object: Object, order: Ordering) {
        if acquires(order) {
            runtime::acquire(object);
        }
        if releases(order) {
            runtime::release(object);
        }
    }

    #[track_caller]
    fn compare(
        &self,
        what: &'static str,
        [from, to]: [u64; 2],
        [success, failure]: [Ordering; 2],
    ) -> Result<u64, u64> {
        note(success);
        let object = self.object();
        let attempt = Operation::attempt(object, Kind::Compare(from));
        let stored = |_: &Access| to;
        let Some(performed) = runtime::visible(what, attempt, stored) else {
            let old = runtime::value(object);
            if old == from {
                runtime::set_value(object, to);
                return Ok(old);
            }
            return Err(old);
        };
        let access = performed.accesses[0];
        if access.kind == Kind::Read {
            if acquires(failure) {
                runtime::acquire(object);
            }
            return Err(access.before);
        }
        self.synchronise(object, success);
        Ok(access.before)
    }

    /// The same, and the second way to execute it is to fail. Whichever it is, other operations on
    /// the object depend on it: what a step depends on is the same in all its ways.
    #[track_caller]
    fn compare_weak(
        &self,
        what: &'static str,
        [from, to]: [u64; 2],
        [success, failure]: [Ordering; 2],
    ) -> Result<u64, u64> {
        note(success);
        let object = self.object();
        let update = Operation::one(object, Kind::Update);
        let stored = |access: &Access, way: u32| match (access.before == from, way) {
            (true, 0) => to,
            _ => access.before,
        };
        let performed = runtime::visible_in(what, update, Ways::Fixed(2), stored);
        let Some((performed, way)) = performed else {
            return Err(runtime::value(object));
        };
        let before = performed.accesses[0].before;
        if before == from && way == 0 {
            self.synchronise(object, success);
            return Ok(before);
        }
        if before == from {
            runtime::was_spurious();
        }
        if acquires(failure) {
            runtime::acquire(object);
        }
        Err(before)
    }
}

macro_rules! common {
    ($name:ident, $type:ty, $to:expr, $from:expr) => {
        impl $name {
            /// An atomic with this value.
            pub const fn new(value: $type) -> Self {
                $name(Bits::new($to(value)))
            }

            /// Reads the value.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $type {
                $from(self.0.load(concat!(stringify!($name), "::load"), order))
            }

            /// Writes the value.
            #[track_caller]
            pub fn store(&self, value: $type, order: Ordering) {
                self.0
                    .store(concat!(stringify!($name), "::store"), $to(value), order);
            }

            /// Replaces the value and returns the old one.
            #[track_caller]
            pub fn swap(&self, value: $type, order: Ordering) -> $type {
                let what = concat!(stringify!($name), "::swap");
                $from(self.0.update(what, order, |_| $to(value)))
            }

            /// Replaces the value if it is `current`.
            ///
            /// # Errors
            /// With the value, if it is another one.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $type,
                new: $type,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$type, $type> {
                let what = concat!(stringify!($name), "::compare_exchange");
                let result = self
                    .0
                    .compare(what, [$to(current), $to(new)], [success, failure]);
                result.map(|v| $from(v)).map_err(|v| $from(v))
            }

            /// The same. It may fail without a reason if [`crate::Builder::spurious`] says so.
            ///
            /// # Errors
            /// With the value, if it is another one or there was no reason.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $type,
                new: $type,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$type, $type> {
                if !runtime::may_be_spurious() {
                    return self.compare_exchange(current, new, success, failure);
                }
                let what = concat!(stringify!($name), "::compare_exchange_weak");
                let result =
                    self.0
                        .compare_weak(what, [$to(current), $to(new)], [success, failure]);
                result.map(|v| $from(v)).map_err(|v| $from(v))
            }

            /// Replaces the value by what `f` makes of it, as often as needed.
            ///
            /// # Errors
            /// With the value, if `f` returns `None`.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut f: F,
            ) -> Result<$type, $type>
            where
                F: FnMut($type) -> Option<$type>,
            {
                let mut old = self.load(fetch);
                while let Some(new) = f(old) {
                    match self.compare_exchange(old, new, set, fetch) {
                        Ok(value) => return Ok(value),
                        Err(value) => old = value,
                    }
                }
                Err(old)
            }

            /// The value.
            pub fn into_inner(self) -> $type {
                $from(self.0.alone())
            }
        }

        impl crate::Numbered for $name {
            fn number(&self) {
                self.0.object();
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl From<$type> for $name {
            fn from(value: $type) -> Self {
                $name::new(value)
            }
        }
    };
}

macro_rules! integer {
    ($($name:ident $type:ident),*) => { $(
        #[doc = concat!("An atomic `", stringify!($type), "`.")]
        pub struct $name(Bits);

        common!($name, $type, to_bits::$type, from_bits::$type);

        impl Default for $name {
            fn default() -> Self {
                $name::new(0)
            }
        }

        integer!(@fetch $name $type
            fetch_add "Adds" wrapping_add, fetch_sub "Subtracts" wrapping_sub,
            fetch_max "Takes the larger value" max, fetch_min "Takes the smaller value" min);

        impl $name {
            /// Combines by and; returns the old value.
            #[track_caller]
            pub fn fetch_and(&self, value: $type, order: Ordering) -> $type {
                let what = concat!(stringify!($name), "::fetch_and");
                from_bits::$type(self.0.update(what, order, |old| old & to_bits::$type(value)))
            }

            /// Combines by or; returns the old value.
            #[track_caller]
            pub fn fetch_or(&self, value: $type, order: Ordering) -> $type {
                let what = concat!(stringify!($name), "::fetch_or");
                from_bits::$type(self.0.update(what, order, |old| old | to_bits::$type(value)))
            }

            /// Combines by exclusive or; returns the old value.
            #[track_caller]
            pub fn fetch_xor(&self, value: $type, order: Ordering) -> $type {
                let what = concat!(stringify!($name), "::fetch_xor");
                from_bits::$type(self.0.update(what, order, |old| old ^ to_bits::$type(value)))
            }
        }
    )* };
    (@fetch $name:ident $type:ident $($method:ident $doc:literal $f:ident),*) => {
        impl $name { $(
            #[doc = concat!($doc, "; returns the old value.")]
            #[track_caller]
            pub fn $method(&self, value: $type, order: Ordering) -> $type {
                let what = concat!(stringify!($name), "::", stringify!($method));
                let f = |old| to_bits::$type(from_bits::$type(old).$f(value));
                from_bits::$type(self.0.update(what, order, f))
            }
        )* }
    };
}

/// Values as bits. Signed values keep their sign in the width of their type only.
mod to_bits {
    macro_rules! to { ($($type:ident)*) => { $(
        pub(super) const fn $type(value: $type) -> u64 { value as u64 }
    )* } }
    to!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
}

mod from_bits {
    macro_rules! from { ($($type:ident)*) => { $(
        pub(super) const fn $type(value: u64) -> $type { value as $type }
    )* } }
    from!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
}

integer!(
    AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize,
    AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize
);

/// An atomic `bool`.
pub struct AtomicBool(Bits);

const fn bool_to(value: bool) -> u64 {
    value as u64
}

common!(AtomicBool, bool, bool_to, |value: u64| value != 0);

impl Default for AtomicBool {
    fn default() -> Self {
        AtomicBool::new(false)
    }
}

impl AtomicBool {
    /// Combines by and; returns the old value.
    #[track_caller]
    pub fn fetch_and(&self, value: bool, order: Ordering) -> bool {
        self.0
            .update("AtomicBool::fetch_and", order, |old| old & u64::from(value))
            != 0
    }

    /// Combines by or; returns the old value.
    #[track_caller]
    pub fn fetch_or(&self, value: bool, order: Ordering) -> bool {
        self.0
            .update("AtomicBool::fetch_or", order, |old| old | u64::from(value))
            != 0
    }

    /// Combines by exclusive or; returns the old value.
    #[track_caller]
    pub fn fetch_xor(&self, value: bool, order: Ordering) -> bool {
        self.0
            .update("AtomicBool::fetch_xor", order, |old| old ^ u64::from(value))
            != 0
    }
}

/// An atomic pointer. Pointers are compared by address: addresses differ between executions, so the
/// explorer treats every comparison as a write.
pub struct AtomicPtr<T> {
    id: Id,
    pointer: std::sync::atomic::AtomicPtr<T>,
    type_: PhantomData<*mut T>,
}

// SAFETY: as for `std::sync::atomic::AtomicPtr`: a pointer is only copied.
unsafe impl<T> Send for AtomicPtr<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for AtomicPtr<T> {}

impl<T> AtomicPtr<T> {
    /// An atomic with this pointer.
    pub const fn new(pointer: *mut T) -> Self {
        AtomicPtr {
            id: Id::new(),
            pointer: std::sync::atomic::AtomicPtr::new(pointer),
            type_: PhantomData,
        }
    }

    #[track_caller]
    fn access(&self, what: &'static str, kind: Kind, order: Ordering) {
        note(order);
        let object = super::of_this_execution(&self.id, "AtomicPtr", 0);
        runtime::visible(what, Operation::one(object, kind), |_| 0);
        if kind != Kind::Write && acquires(order) {
            runtime::acquire(object);
        }
        if kind != Kind::Read && releases(order) {
            runtime::release(object);
        }
    }

    /// Reads the pointer.
    #[track_caller]
    pub fn load(&self, order: Ordering) -> *mut T {
        self.access("AtomicPtr::load", Kind::Read, order);
        self.pointer.load(Ordering::SeqCst)
    }

    /// Writes the pointer.
    #[track_caller]
    pub fn store(&self, pointer: *mut T, order: Ordering) {
        self.access("AtomicPtr::store", Kind::Write, order);
        self.pointer.store(pointer, Ordering::SeqCst);
    }

    /// Replaces the pointer and returns the old one.
    #[track_caller]
    pub fn swap(&self, pointer: *mut T, order: Ordering) -> *mut T {
        self.access("AtomicPtr::swap", Kind::Update, order);
        self.pointer.swap(pointer, Ordering::SeqCst)
    }

    /// Replaces the pointer if it is `current`.
    ///
    /// # Errors
    /// With the pointer, if it is another one.
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        _: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.access("AtomicPtr::compare_exchange", Kind::Update, success);
        let order = Ordering::SeqCst;
        self.pointer.compare_exchange(current, new, order, order)
    }

    /// The same. It does not fail without reason.
    ///
    /// # Errors
    /// With the pointer, if it is another one.
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.compare_exchange(current, new, success, failure)
    }

    /// The pointer.
    pub fn into_inner(self) -> *mut T {
        self.pointer.into_inner()
    }
}

impl<T> fmt::Debug for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicPtr").finish_non_exhaustive()
    }
}

/// Orders accesses to cells around it. Every atomic operation is sequentially consistent, so it is
/// no visible operation.
pub fn fence(order: Ordering) {
    note(order);
}
