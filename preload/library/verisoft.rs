//! What programs may say to the explorer: the functions of `ample.h`.

use crate::control::{self, call};
use crate::crash;
use crate::protocol::Call;
use crate::sys::caller;
use std::ffi::{CStr, c_char, c_int};

/// A number from 0 to `n`; all are explored.
#[unsafe(no_mangle)]
extern "C" fn VS_toss(n: c_int) -> c_int {
    let at = caller!();
    if n < 0 {
        control::escape_at("VS_toss of a negative number", at);
    }
    call("VS_toss", Call::Toss, &[n as u64 + 1], at).unwrap_or(0) as c_int
}

/// What the macro `VS_assert` calls when its condition is false.
#[unsafe(no_mangle)]
extern "C" fn ample_assertion_failed(text: *const c_char, file: *const c_char, line: c_int) {
    let at = caller!();
    // SAFETY: the macro passes texts that end with a zero.
    let (text, file) = unsafe { (CStr::from_ptr(text), CStr::from_ptr(file)) };
    let (text, file) = (text.to_string_lossy(), file.to_string_lossy());
    crash::fail(&format!("VS_assert({text}) failed ({file}:{line})"), at)
}

/// Whether the explorer is there.
#[unsafe(no_mangle)]
extern "C" fn ample_is_exploring() -> c_int {
    c_int::from(control::me().is_some())
}
