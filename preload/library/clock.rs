//! Time and waiting for time. A clock shows how often its thread has looked at it: real time would make
//! executions different from each other. Sleeping only lets others go on.

use crate::control::{self, call};
use crate::protocol::Call;
use crate::sys::{self, caller};
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};

thread_local! {
    /// How often this thread asked for the time.
    static ASKED: Cell<i64> = const { Cell::new(0) };
}

/// The time at which all executions begin: seconds since 1970.
const BEGIN: i64 = 1_000_000_000;

/// Seconds and milliseconds of this thread's clock; one more millisecond each time.
fn now() -> (i64, i64) {
    let asked = ASKED.get() + 1;
    ASKED.set(asked);
    (BEGIN + asked / 1000, asked % 1000)
}

fn store(address: *mut i64, value: (i64, i64)) {
    if address.is_null() {
        return;
    }
    // SAFETY: the program passes a structure of two such numbers.
    unsafe {
        address.write_unaligned(value.0);
        address.add(1).write_unaligned(value.1);
    }
}

#[unsafe(no_mangle)]
extern "C" fn clock_gettime(clock: c_int, time: *mut i64) -> c_int {
    if control::me().is_none() {
        let real = sys::real!(clock_gettime: extern "C" fn(c_int, *mut i64) -> c_int);
        return real(clock, time);
    }
    let (seconds, milliseconds) = now();
    store(time, (seconds, milliseconds * 1_000_000));
    0
}

#[unsafe(no_mangle)]
extern "C" fn gettimeofday(time: *mut i64, zone: *mut c_void) -> c_int {
    if control::me().is_none() {
        let real = sys::real!(gettimeofday: extern "C" fn(*mut i64, *mut c_void) -> c_int);
        return real(time, zone);
    }
    let (seconds, milliseconds) = now();
    store(time, (seconds, milliseconds * 1000));
    0
}

#[unsafe(no_mangle)]
extern "C" fn time(result: *mut i64) -> i64 {
    let seconds = now().0;
    if !result.is_null() {
        // SAFETY: the program passes the address of a variable.
        unsafe { result.write_unaligned(seconds) };
    }
    seconds
}

fn pause(name: &str, at: u64) -> c_int {
    call(name, Call::Yield, &[], at);
    0
}

#[unsafe(no_mangle)]
extern "C" fn sched_yield() -> c_int {
    pause("sched_yield", caller!())
}

#[unsafe(no_mangle)]
extern "C" fn pthread_yield() -> c_int {
    pause("pthread_yield", caller!())
}

#[unsafe(no_mangle)]
extern "C" fn sleep(_: c_uint) -> c_uint {
    pause("sleep", caller!()) as c_uint
}

#[unsafe(no_mangle)]
extern "C" fn usleep(_: c_uint) -> c_int {
    pause("usleep", caller!())
}

#[unsafe(no_mangle)]
extern "C" fn nanosleep(_: *const c_void, rest: *mut i64) -> c_int {
    store(rest, (0, 0));
    pause("nanosleep", caller!())
}

#[unsafe(no_mangle)]
extern "C" fn clock_nanosleep(_: c_int, _: c_int, _: *const c_void, rest: *mut i64) -> c_int {
    store(rest, (0, 0));
    pause("clock_nanosleep", caller!())
}
