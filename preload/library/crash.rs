//! Signals that end a program become findings: the handler tells the explorer, on a stack of its own
//! so that an overflow of the thread's stack can be told too.

use crate::control;
use crate::protocol::{Call, SLOTS, STACK};
use crate::sys;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

static STACKS: AtomicUsize = AtomicUsize::new(0);

/// `struct sigaction` of the C library.
#[repr(C)]
struct Action {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// `stack_t`.
#[repr(C)]
struct Stack {
    address: usize,
    flags: c_int,
    size: usize,
}

unsafe extern "C" {
    fn sigaltstack(new: *const Stack, old: *mut Stack) -> c_int;
}

type Sigaction = extern "C" fn(c_int, *const Action, *mut Action) -> c_int;

const CRASHES: [(c_int, &str); 7] = [
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (11, "SIGSEGV"),
    (31, "SIGSYS"),
];

/// Maps the stacks of all slots. They cost memory only when used.
pub(crate) fn prepare_stacks() {
    STACKS.store(sys::map(SLOTS * STACK, -1, false), Ordering::Relaxed);
}

/// Handlers of this thread run on the stack of its slot.
pub(crate) fn use_stack(index: u32) {
    let stack = Stack {
        address: STACKS.load(Ordering::Relaxed) + index as usize * STACK,
        flags: 0,
        size: STACK,
    };
    // SAFETY: the memory is mapped, and no other thread uses this part of it.
    unsafe { sigaltstack(&raw const stack, std::ptr::null_mut()) };
}

fn set(signal: c_int, handler: usize) {
    const SIGINFO_ONSTACK_NODEFER: c_int = 4 | 0x0800_0000 | 0x4000_0000;
    let action = Action {
        handler,
        mask: [0; 16],
        flags: SIGINFO_ONSTACK_NODEFER,
        restorer: 0,
    };
    let sigaction = sys::real!(sigaction: Sigaction);
    sigaction(signal, &raw const action, std::ptr::null_mut());
}

/// Installs a handler.
pub(crate) fn handle(signal: c_int, handler: extern "C" fn(c_int, *mut c_void, *mut c_void)) {
    set(signal, handler as *const () as usize);
}

pub(crate) fn handle_default(signal: c_int) {
    set(signal, 0);
}

pub(crate) fn handle_crashes() {
    for (signal, _) in CRASHES {
        handle(signal, crashed);
    }
}

extern "C" fn crashed(signal: c_int, info: *mut c_void, context: *mut c_void) {
    handle_default(signal);
    if control::me().is_none() {
        return;
    }
    // The program counter in `ucontext_t`, and the address in `siginfo_t`.
    const RIP: usize = 40 + 16 * 8;
    const ADDRESS: usize = 16;
    // SAFETY: the kernel passes both structures to the handler.
    let (at, address) = unsafe {
        (
            sys::peek(context as usize + RIP, 8),
            sys::peek(info as usize + ADDRESS, 8),
        )
    };
    let name = CRASHES.iter().find(|&&(number, _)| number == signal);
    let name = name.map_or("a signal", |&(_, name)| name);
    let text = match signal {
        7 | 11 => format!("{name} at address {address:#x}"),
        _ => name.to_owned(),
    };
    control::over(name, Call::Crash, &[signal as u64], &text, at)
}

fn text_at(text: *const c_char) -> String {
    if text.is_null() {
        return "?".to_owned();
    }
    // SAFETY: the compiler passes texts that end with a zero.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

/// What `assert` calls.
#[unsafe(no_mangle)]
extern "C" fn __assert_fail(
    text: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    let at = sys::caller!();
    let (text, file) = (text_at(text), text_at(file));
    let function = text_at(function);
    let message = format!("assertion `{text}` failed ({file}:{line}, {function})");
    fail(&message, at)
}

#[unsafe(no_mangle)]
extern "C" fn abort() -> ! {
    fail("abort was called", sys::caller!())
}

/// An assertion that does not hold.
pub(crate) fn fail(message: &str, at: u64) -> ! {
    control::over("assert", Call::Fail, &[], message, at)
}

#[unsafe(no_mangle)]
extern "C" fn signal(number: c_int, handler: usize) -> usize {
    // SIG_DFL and SIG_IGN.
    if handler > 1 && control::me().is_some() {
        control::escape_at("signal: a handler runs at any time", sys::caller!());
    }
    let signal = sys::real!(signal: extern "C" fn(c_int, usize) -> usize);
    signal(number, handler)
}

#[unsafe(no_mangle)]
extern "C" fn sigaction(number: c_int, action: *const Action, old: *mut Action) -> c_int {
    // SAFETY: the program passes a structure or nothing.
    let handler = unsafe { action.as_ref() }.map_or(0, |action| action.handler);
    if handler > 1 && control::me().is_some() {
        control::escape_at("sigaction: a handler runs at any time", sys::caller!());
    }
    let sigaction = sys::real!(sigaction: Sigaction);
    sigaction(number, action, old)
}
