//! Pipes. The bytes are in real pipes; the explorer knows how many there are and who has the ends, so
//! that a read or write that it permits never waits.

use crate::control::{self, call};
use crate::protocol::Call;
use crate::sys::{self, caller};
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

const FILES: usize = 1024;

/// What a file descriptor is: 0 for no pipe, otherwise twice the number of the pipe, plus one for the
/// end that writes. Belongs to the process; a child inherits it with the descriptors.
static TABLE: [AtomicU64; FILES] = [const { AtomicU64::new(0) }; FILES];

/// Pipes that this process made.
static MADE: AtomicU64 = AtomicU64::new(0);

const O_NONBLOCK: c_int = 0o4000;
const F_SETFL: c_int = 4;

/// Pipe and whether it is the end that writes.
fn end(fd: c_int) -> Option<(u64, bool)> {
    control::me()?;
    let what = TABLE
        .get(usize::try_from(fd).ok()?)?
        .load(Ordering::Relaxed);
    (what != 0).then_some((what / 2, what % 2 == 1))
}

fn set(fd: c_int, what: u64, at: u64) {
    match TABLE.get(fd as usize) {
        Some(entry) => entry.store(what, Ordering::Relaxed),
        None => control::escape_at("a pipe with a file descriptor above 1023", at),
    }
}

fn make(ends: *mut c_int, flags: c_int, name: &str, at: u64) -> c_int {
    let real = sys::real!(pipe2: extern "C" fn(*mut c_int, c_int) -> c_int);
    if control::me().is_none() {
        return real(ends, flags);
    }
    if flags & O_NONBLOCK != 0 {
        control::escape_at("pipe2 with O_NONBLOCK", at);
    }
    let result = real(ends, flags);
    if result == 0 {
        let made = MADE.fetch_add(1, Ordering::Relaxed) + 1;
        let number = (u64::from(control::my_index().unwrap_or(0)) + 1) << 32 | made;
        // SAFETY: the program passes an array of two numbers.
        let (reads, writes) = unsafe { (*ends, *ends.add(1)) };
        set(reads, 2 * number, at);
        set(writes, 2 * number + 1, at);
        call(name, Call::PipeNew, &[number], at);
    }
    result
}

#[unsafe(no_mangle)]
extern "C" fn pipe(ends: *mut c_int) -> c_int {
    make(ends, 0, "pipe", caller!())
}

#[unsafe(no_mangle)]
extern "C" fn pipe2(ends: *mut c_int, flags: c_int) -> c_int {
    make(ends, flags, "pipe2", caller!())
}

/// The result of a system call.
fn returned(result: isize) -> isize {
    match result {
        error if error < 0 => sys::fails(-error as c_int) as isize,
        value => value,
    }
}

#[unsafe(no_mangle)]
extern "C" fn read(fd: c_int, buffer: usize, length: usize) -> isize {
    let at = caller!();
    if let Some((pipe, false)) = end(fd)
        && length > 0
    {
        call("read", Call::PipeRead, &[pipe, length as u64], at);
    }
    returned(sys::read(fd, buffer, length))
}

#[unsafe(no_mangle)]
extern "C" fn write(fd: c_int, buffer: usize, length: usize) -> isize {
    let at = caller!();
    if let Some((pipe, true)) = end(fd)
        && length > 0
    {
        if length > 4096 {
            control::escape_at("a write of more than 4096 bytes to a pipe", at);
        }
        if call("write", Call::PipeWrite, &[pipe, length as u64], at) == Some(1) {
            return sys::fails(sys::EPIPE) as isize;
        }
    }
    returned(sys::write(fd, buffer, length))
}

fn count(name: &str, fd: c_int, fewer: bool, at: u64) {
    if let Some((pipe, writes)) = end(fd) {
        let args = [pipe, u64::from(writes), u64::from(fewer)];
        call(name, Call::PipeEnds, &args, at);
    }
}

#[unsafe(no_mangle)]
extern "C" fn close(fd: c_int) -> c_int {
    let at = caller!();
    count("close", fd, true, at);
    if end(fd).is_some() {
        set(fd, 0, at);
    }
    returned(sys::close(fd)) as c_int
}

/// All pipes are closed when a process ends.
pub(crate) fn close_all(at: u64) {
    for fd in 0..FILES as c_int {
        if end(fd).is_some() {
            count("close (exit)", fd, true, at);
            set(fd, 0, at);
            sys::close(fd);
        }
    }
}

/// What was copied to a new descriptor.
fn copied(from: c_int, to: c_int, name: &str, at: u64) -> c_int {
    if to >= 0 && from != to && control::me().is_some() {
        if end(to).is_some() {
            count(name, to, true, at);
            set(to, 0, at);
        }
        if let Some((pipe, writes)) = end(from) {
            set(to, 2 * pipe + u64::from(writes), at);
            count(name, to, false, at);
        }
    }
    to
}

#[unsafe(no_mangle)]
extern "C" fn dup(fd: c_int) -> c_int {
    let at = caller!();
    let real = sys::real!(dup: extern "C" fn(c_int) -> c_int);
    copied(fd, real(fd), "dup", at)
}

#[unsafe(no_mangle)]
extern "C" fn dup2(fd: c_int, to: c_int) -> c_int {
    let at = caller!();
    let real = sys::real!(dup2: extern "C" fn(c_int, c_int) -> c_int);
    copied(fd, real(fd, to), "dup2", at)
}

#[unsafe(no_mangle)]
extern "C" fn dup3(fd: c_int, to: c_int, flags: c_int) -> c_int {
    let at = caller!();
    let real = sys::real!(dup3: extern "C" fn(c_int, c_int, c_int) -> c_int);
    copied(fd, real(fd, to, flags), "dup3", at)
}

fn control_file(fd: c_int, command: c_int, argument: usize, at: u64) -> c_int {
    let real = sys::real!(fcntl64: extern "C" fn(c_int, c_int, usize) -> c_int);
    if end(fd).is_some() {
        let blocks = command == F_SETFL && argument as c_int & O_NONBLOCK != 0;
        // F_DUPFD and F_DUPFD_CLOEXEC.
        if blocks || matches!(command, 0 | 1030) {
            control::escape_at(
                "fcntl: O_NONBLOCK and F_DUPFD are not supported for pipes",
                at,
            );
        }
    }
    real(fd, command, argument)
}

#[unsafe(no_mangle)]
extern "C" fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int {
    control_file(fd, command, argument, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn fcntl64(fd: c_int, command: c_int, argument: usize) -> c_int {
    control_file(fd, command, argument, caller!())
}

macro_rules! not_for_pipes {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name(fd: c_int, buffer: usize, count: c_int, rest: usize) -> isize {
            let at = caller!();
            if end(fd).is_some() {
                control::escape_at(concat!(stringify!($name), ": use read and write for pipes"), at);
            }
            let real = sys::real!($name: extern "C" fn(c_int, usize, c_int, usize) -> isize);
            real(fd, buffer, count, rest)
        }
    )*};
}

not_for_pipes! { readv writev splice tee vmsplice }

#[unsafe(no_mangle)]
extern "C" fn fdopen(fd: c_int, mode: usize) -> usize {
    let at = caller!();
    if end(fd).is_some() {
        control::escape_at("fdopen: use read and write for pipes", at);
    }
    let real = sys::real!(fdopen: extern "C" fn(c_int, usize) -> usize);
    real(fd, mode)
}
