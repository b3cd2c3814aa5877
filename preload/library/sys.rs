//! System calls, made directly so that they do not come back to the functions of this library, and
//! the functions of the C library that this one stands before.

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

pub(crate) const EINTR: i32 = 4;
pub(crate) const ECHILD: i32 = 10;
pub(crate) const EAGAIN: i32 = 11;
pub(crate) const EBUSY: i32 = 16;
pub(crate) const EINVAL: i32 = 22;
pub(crate) const EPIPE: i32 = 32;
pub(crate) const EDEADLK: i32 = 35;
pub(crate) const ETIMEDOUT: i32 = 110;

const READ: usize = 0;
const WRITE: usize = 1;
const CLOSE: usize = 3;
const FSTAT: usize = 5;
const MMAP: usize = 9;
const GETPID: usize = 39;
const WAIT4: usize = 61;
const KILL: usize = 62;
const FTRUNCATE: usize = 77;
const GETPPID: usize = 110;
const SETPGID: usize = 109;
const PRCTL: usize = 157;
const FUTEX: usize = 202;
const EXIT_GROUP: usize = 231;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __errno_location() -> *mut i32;
}

/// A system call. Its result is what the kernel returns: errors are negative.
///
/// # Safety
/// The arguments must be what the call expects.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn raw(number: usize, args: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the registers are those of the kernel's interface; the caller answers for the rest.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn raw(_: usize, _: [usize; 6]) -> isize {
    -38
}

/// Where the function that this is written in returns to.
macro_rules! caller {
    () => {{
        let address: usize;
        // SAFETY: the library is compiled with frame pointers: the return address lies above the saved one.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!("mov {}, [rbp + 8]", out(reg) address, options(nostack, readonly));
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            address = 0;
        }
        address as u64
    }};
}
pub(crate) use caller;

/// The function of the C library that has this name, as a function of this type.
macro_rules! real {
    ($name:ident: $type:ty) => {{
        static KNOWN: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let address = $crate::sys::next(&KNOWN, concat!(stringify!($name), "\0"));
        // SAFETY: the type is that of the C library's function.
        unsafe { std::mem::transmute::<*const (), $type>(address as *const ()) }
    }};
}
pub(crate) use real;

/// The next definition of a name after this library's.
pub(crate) fn next(known: &AtomicUsize, name: &'static str) -> usize {
    const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
    let address = known.load(Ordering::Relaxed);
    if address != 0 {
        return address;
    }
    // SAFETY: the name ends with a zero.
    let address = unsafe { dlsym(RTLD_NEXT, name.as_ptr().cast()) } as usize;
    if address == 0 {
        say("ample: the C library lacks ");
        say(name);
        exit_group(127);
    }
    known.store(address, Ordering::Relaxed);
    address
}

pub(crate) fn set_errno(value: i32) {
    // SAFETY: the C library returns the address of this thread's variable.
    unsafe { *__errno_location() = value };
}

/// Sets the error and returns -1, as most functions do.
pub(crate) fn fails(error: i32) -> i32 {
    set_errno(error);
    -1
}

/// Writes to standard error.
pub(crate) fn say(text: &str) {
    write(2, text.as_ptr() as usize, text.len());
}

pub(crate) fn read(fd: i32, address: usize, length: usize) -> isize {
    // SAFETY: the kernel checks the address.
    unsafe { raw(READ, [fd as usize, address, length, 0, 0, 0]) }
}

pub(crate) fn write(fd: i32, address: usize, length: usize) -> isize {
    // SAFETY: the kernel checks the address.
    unsafe { raw(WRITE, [fd as usize, address, length, 0, 0, 0]) }
}

pub(crate) fn close(fd: i32) -> isize {
    // SAFETY: no memory is involved.
    unsafe { raw(CLOSE, [fd as usize, 0, 0, 0, 0, 0]) }
}

/// The kind and number of a file: `st_mode` and `st_ino`.
pub(crate) fn stat(fd: i32) -> Option<(u32, u64)> {
    // Longer than `struct stat` of any version.
    let mut buffer = [0_u64; 32];
    // SAFETY: the buffer is long enough.
    let result = unsafe {
        raw(
            FSTAT,
            [fd as usize, buffer.as_mut_ptr() as usize, 0, 0, 0, 0],
        )
    };
    (result == 0).then_some((buffer[3] as u32, buffer[1]))
}

/// How long a file is.
pub(crate) fn length(fd: i32) -> Option<usize> {
    let mut buffer = [0_u64; 32];
    let at = buffer.as_mut_ptr() as usize;
    // SAFETY: the buffer is long enough.
    let result = unsafe { raw(FSTAT, [fd as usize, at, 0, 0, 0, 0]) };
    (result == 0).then_some(buffer[6] as usize)
}

/// Gives a file another descriptor, at least this one, and closes the old one.
pub(crate) fn move_high(fd: i32, least: i32) -> i32 {
    const FCNTL: usize = 72;
    const DUPFD_CLOEXEC: usize = 1030;
    // SAFETY: no memory is involved.
    let high = unsafe { raw(FCNTL, [fd as usize, DUPFD_CLOEXEC, least as usize, 0, 0, 0]) };
    if high < 0 {
        return fd;
    }
    close(fd);
    high as i32
}

pub(crate) fn set_length(fd: i32, length: usize) -> isize {
    // SAFETY: no memory is involved.
    unsafe { raw(FTRUNCATE, [fd as usize, length, 0, 0, 0, 0]) }
}

/// Maps memory; 0 if that fails. `fd` is -1 for memory without a file.
pub(crate) fn map(length: usize, fd: i32, is_shared: bool) -> usize {
    const READ_WRITE: usize = 3;
    const NO_RESERVE: usize = 0x4000;
    let flags = if is_shared { 1 } else { 2 } | if fd < 0 { 0x20 } else { 0 } | NO_RESERVE;
    // SAFETY: a new mapping at an address of the kernel's choice overwrites nothing.
    let address = unsafe { raw(MMAP, [0, length, READ_WRITE, flags, fd as usize, 0]) };
    if address < 0 { 0 } else { address as usize }
}

pub(crate) fn own_pid() -> u32 {
    // SAFETY: no memory is involved.
    unsafe { raw(GETPID, [0; 6]) as u32 }
}

pub(crate) fn parent_pid() -> u32 {
    // SAFETY: no memory is involved.
    unsafe { raw(GETPPID, [0; 6]) as u32 }
}

/// Sends a signal to a process, or to a group if the number is negative.
pub(crate) fn kill(pid: i32, signal: i32) -> isize {
    // SAFETY: no memory is involved.
    unsafe { raw(KILL, [pid as usize, signal as usize, 0, 0, 0, 0]) }
}

/// Makes a process the leader of a group of its own.
pub(crate) fn own_group(pid: u32) {
    // SAFETY: no memory is involved.
    unsafe { raw(SETPGID, [pid as usize, pid as usize, 0, 0, 0, 0]) };
}

/// Waits for a child: its number and status, or a negative error.
pub(crate) fn wait_child() -> (isize, u32) {
    let mut status = 0_u32;
    // SAFETY: the status is written to a variable of the right size.
    let pid = unsafe {
        raw(
            WAIT4,
            [
                usize::MAX,
                std::ptr::addr_of_mut!(status) as usize,
                0,
                0,
                0,
                0,
            ],
        )
    };
    (pid, status)
}

/// Asks for a signal when the parent dies.
pub(crate) fn signal_at_death_of_parent(signal: i32) {
    // SAFETY: no memory is involved.
    unsafe { raw(PRCTL, [1, signal as usize, 0, 0, 0, 0]) };
}

/// Makes this process the parent of orphans among its descendants.
pub(crate) fn adopt_orphans() {
    // SAFETY: no memory is involved.
    unsafe { raw(PRCTL, [36, 1, 0, 0, 0, 0]) };
}

pub(crate) fn exit_group(status: i32) -> ! {
    loop {
        // SAFETY: does not return.
        unsafe { raw(EXIT_GROUP, [status as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Waits, at most a second, as long as a word has a value.
pub(crate) fn futex_wait(word: &AtomicU32, value: u32) {
    let second = [1_u64, 0];
    // SAFETY: both addresses are valid during the call.
    unsafe {
        raw(
            FUTEX,
            [
                word.as_ptr() as usize,
                0,
                value as usize,
                second.as_ptr() as usize,
                0,
                0,
            ],
        )
    };
}

/// Wakes all who wait for a word.
pub(crate) fn futex_wake(word: &AtomicU32) {
    // SAFETY: the address is valid.
    unsafe {
        raw(
            FUTEX,
            [word.as_ptr() as usize, 1, i32::MAX as usize, 0, 0, 0],
        )
    };
}

/// Up to eight bytes of memory, as a number.
///
/// # Safety
/// The memory can be read.
pub(crate) unsafe fn peek(address: usize, bytes: usize) -> u64 {
    let mut value = [0_u8; 8];
    for (index, byte) in value.iter_mut().enumerate().take(bytes) {
        // SAFETY: the caller answers for the memory. Nobody else of the program runs.
        *byte = unsafe { ((address + index) as *const u8).read_volatile() };
    }
    u64::from_le_bytes(value)
}

/// Writes a number of four bytes.
///
/// # Safety
/// The memory can be written, or the address is 0.
pub(crate) unsafe fn poke(address: usize, value: i32) {
    if address != 0 {
        // SAFETY: the caller answers for the memory.
        unsafe { (address as *mut i32).write_unaligned(value) };
    }
}
