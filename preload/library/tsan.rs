//! Memory accesses of programs that are compiled with `-fsanitize=thread`: the functions that the
//! compiler calls before each of them, and instead of atomic operations.
//!
//! Before a process has several threads, and has memory that another one shares, nobody can notice
//! the order of its accesses: they are not announced.

use crate::control::{self, call};
use crate::protocol::Call;
use crate::region::locate;
use crate::sys::{self, caller};
use std::ffi::c_int;

/// Whether others may see an access to this address.
fn is_visible(region: u64) -> bool {
    control::is_several() || region != 0 && control::is_forked()
}

fn access(name: &str, what: Call, address: usize, bytes: usize, expected: u64, at: u64) {
    if control::me().is_none() {
        return;
    }
    let (place, region) = locate(address as u64);
    if !is_visible(region) {
        return;
    }
    // SAFETY: the program is about to access this memory.
    let value = unsafe { sys::peek(address, bytes.min(8)) };
    let args = [place, region, bytes as u64, value, expected];
    call(name, what, &args, at);
    if what == Call::Write && bytes <= 8 {
        control::will_write(address, bytes);
    }
}

macro_rules! plain {
    ($($bytes:literal: $($read:ident)*, $($write:ident)*;)*) => {$(
        $(#[unsafe(no_mangle)]
        extern "C" fn $read(address: usize) {
            access("read", Call::Read, address, $bytes, 0, caller!());
        })*
        $(#[unsafe(no_mangle)]
        extern "C" fn $write(address: usize) {
            access("write", Call::Write, address, $bytes, 0, caller!());
        })*
    )*};
}

plain! {
    1: __tsan_read1 __tsan_volatile_read1, __tsan_write1 __tsan_volatile_write1;
    2: __tsan_read2 __tsan_volatile_read2 __tsan_unaligned_read2, __tsan_write2 __tsan_volatile_write2 __tsan_unaligned_write2;
    4: __tsan_read4 __tsan_volatile_read4 __tsan_unaligned_read4, __tsan_write4 __tsan_volatile_write4 __tsan_unaligned_write4;
    8: __tsan_read8 __tsan_volatile_read8 __tsan_unaligned_read8, __tsan_write8 __tsan_volatile_write8 __tsan_unaligned_write8;
    16: __tsan_read16 __tsan_volatile_read16 __tsan_unaligned_read16,
        __tsan_write16 __tsan_volatile_write16 __tsan_unaligned_write16;
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_read_range(address: usize, bytes: usize) {
    access("read", Call::Read, address, bytes, 0, caller!());
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_write_range(address: usize, bytes: usize) {
    access("write", Call::Write, address, bytes, 0, caller!());
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_vptr_read(address: usize) {
    access("read", Call::Read, address, 8, 0, caller!());
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_vptr_update(address: usize, _: usize) {
    access("write", Call::Write, address, 8, 0, caller!());
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_func_entry(_: usize) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_func_exit() {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_begin() {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_end() {}

/// All accesses are sequentially consistent already.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(_: c_int) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_: c_int) {}

/// Reads memory of the program.
///
/// # Safety
/// The address is that of such a variable.
unsafe fn get<T: Copy>(address: *mut T) -> T {
    // SAFETY: only one thread of the program runs, so the access needs no atomicity.
    unsafe { address.read_volatile() }
}

/// Writes it; the explorer learns the value with the next operation.
///
/// # Safety
/// The address is that of such a variable.
unsafe fn put<T: Copy>(address: *mut T, value: T) {
    // SAFETY: as above.
    unsafe { address.write_volatile(value) };
    control::will_write(address as usize, size_of::<T>());
}

macro_rules! atomic {
    ($type:ty: $load:ident $store:ident $exchange:ident $strong:ident $weak:ident $value:ident;
     $($update:ident = |$old:ident, $by:ident| $new:expr;)*) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $load(address: *const $type, _: c_int) -> $type {
            access("atomic load", Call::Read, address as usize, size_of::<$type>(), 0, caller!());
            // SAFETY: the program passes a variable of this type.
            unsafe { get(address.cast_mut()) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $store(address: *mut $type, value: $type, _: c_int) {
            access("atomic store", Call::Write, address as usize, size_of::<$type>(), 0, caller!());
            // SAFETY: the program passes a variable of this type.
            unsafe { put(address, value) };
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $exchange(address: *mut $type, value: $type, _: c_int) -> $type {
            access("atomic exchange", Call::Update, address as usize, size_of::<$type>(), 0, caller!());
            // SAFETY: the program passes a variable of this type.
            unsafe {
                let before = get(address);
                put(address, value);
                before
            }
        }

        $(#[unsafe(no_mangle)]
        unsafe extern "C" fn $update(address: *mut $type, $by: $type, _: c_int) -> $type {
            access("atomic update", Call::Update, address as usize, size_of::<$type>(), 0, caller!());
            // SAFETY: the program passes a variable of this type.
            unsafe {
                let $old = get(address);
                put(address, $new);
                $old
            }
        })*

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $strong(address: *mut $type, expected: *mut $type, new: $type, _: c_int, _: c_int) -> c_int {
            let at = caller!();
            // SAFETY: the program passes variables of this type.
            unsafe { c_int::from(compare_exchange(address, expected, new, at)) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $weak(address: *mut $type, expected: *mut $type, new: $type, _: c_int, _: c_int) -> c_int {
            let at = caller!();
            // SAFETY: the program passes variables of this type.
            unsafe { c_int::from(compare_exchange(address, expected, new, at)) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $value(address: *mut $type, mut expected: $type, new: $type, _: c_int, _: c_int) -> $type {
            let at = caller!();
            // SAFETY: the program passes variables of this type.
            unsafe { compare_exchange(address, &raw mut expected, new, at) };
            expected
        }
    };
}

/// # Safety
/// Both addresses are those of variables.
unsafe fn compare_exchange<T: Copy + PartialEq>(
    address: *mut T,
    expected: *mut T,
    new: T,
    at: u64,
) -> bool {
    let bytes = size_of::<T>();
    // SAFETY: the caller answers for the addresses.
    unsafe {
        let wanted = *expected;
        let number = sys::peek(std::ptr::addr_of!(wanted) as usize, bytes.min(8));
        access(
            "atomic compare-exchange",
            Call::Compare,
            address as usize,
            bytes,
            number,
            at,
        );
        let before = get(address);
        if before == wanted {
            put(address, new);
            return true;
        }
        *expected = before;
        false
    }
}

macro_rules! atomics {
    ($($type:ty: $load:ident $store:ident $exchange:ident $strong:ident $weak:ident $value:ident
       $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident;)*) => {$(
        atomic! {
            $type: $load $store $exchange $strong $weak $value;
            $add = |old, by| old.wrapping_add(by);
            $sub = |old, by| old.wrapping_sub(by);
            $and = |old, by| old & by;
            $or = |old, by| old | by;
            $xor = |old, by| old ^ by;
            $nand = |old, by| !(old & by);
        }
    )*};
}

atomics! {
    u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val
        __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and
        __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand;
    u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange
        __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val
        __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and
        __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand;
    u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange
        __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val
        __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and
        __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand;
    u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange
        __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val
        __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and
        __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand;
}
