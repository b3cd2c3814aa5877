//! Memory that processes share: which addresses belong to it, and by which name the others know it.
//!
//! The table belongs to the process; a child inherits it with the mappings.

use crate::control;
use crate::protocol::MEMORY;
use crate::sys::{self, caller};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const REGIONS: usize = 64;

struct Region {
    start: AtomicUsize,
    length: AtomicUsize,
    name: AtomicU64,
}

static TABLE: [Region; REGIONS] = [const {
    Region {
        start: AtomicUsize::new(0),
        length: AtomicUsize::new(0),
        name: AtomicU64::new(0),
    }
}; REGIONS];

static USED: AtomicUsize = AtomicUsize::new(0);

/// Regions that this process made.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Bit that tells names of regions that came from a key from those of mappings.
const BY_ID: u64 = 1 << 62;
const BY_FILE: u64 = 1 << 61;

/// What an address belongs to, as `Call` says it: the address or offset, and the region.
pub(crate) fn locate(address: u64) -> (u64, u64) {
    let used = USED.load(Ordering::Relaxed).min(REGIONS);
    for region in &TABLE[..used] {
        let start = region.start.load(Ordering::Relaxed) as u64;
        let length = region.length.load(Ordering::Relaxed) as u64;
        if address >= start && address - start < length {
            return (address - start, region.name.load(Ordering::Relaxed));
        }
    }
    (address, 0)
}

fn add(start: usize, length: usize, name: u64, at: u64) {
    let free = TABLE
        .iter()
        .position(|r| r.length.load(Ordering::Relaxed) == 0);
    let Some(index) = free else {
        control::escape_at("more than 64 regions of shared memory", at);
    };
    let region = &TABLE[index];
    region.start.store(start, Ordering::Relaxed);
    region.length.store(length, Ordering::Relaxed);
    region.name.store(name, Ordering::Relaxed);
    USED.fetch_max(index + 1, Ordering::Relaxed);
}

fn remove(start: usize) {
    for region in &TABLE {
        if region.start.load(Ordering::Relaxed) == start {
            region.length.store(0, Ordering::Relaxed);
            region.start.store(0, Ordering::Relaxed);
        }
    }
}

type Mmap = extern "C" fn(usize, usize, c_int, c_int, c_int, i64) -> usize;

fn map(
    address: usize,
    length: usize,
    protection: c_int,
    flags: c_int,
    file: (c_int, i64),
    at: u64,
) -> usize {
    const SHARED: c_int = 1;
    const TYPE: c_int = 15;
    let mmap = sys::real!(mmap: Mmap);
    let result = mmap(address, length, protection, flags, file.0, file.1);
    if result != usize::MAX && flags & TYPE == SHARED && control::me().is_some() {
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let mine = u64::from(control::my_index().unwrap_or(0)) + 1;
        let name = match sys::stat(file.0) {
            Some((_, number)) if file.0 >= 0 => BY_FILE | number << 12 ^ (file.1 as u64 >> 12),
            _ => mine << 32 | made,
        };
        add(result, length, name, at);
    }
    result
}

#[unsafe(no_mangle)]
extern "C" fn mmap(
    address: usize,
    length: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> usize {
    map(address, length, protection, flags, (fd, offset), caller!())
}

#[unsafe(no_mangle)]
extern "C" fn mmap64(
    address: usize,
    length: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> usize {
    map(address, length, protection, flags, (fd, offset), caller!())
}

#[unsafe(no_mangle)]
extern "C" fn munmap(address: usize, length: usize) -> c_int {
    control::settle();
    remove(address);
    let munmap = sys::real!(munmap: extern "C" fn(usize, usize) -> c_int);
    munmap(address, length)
}

unsafe extern "C" {
    fn __libc_free(memory: *mut c_void);
}

#[unsafe(no_mangle)]
extern "C" fn free(memory: *mut c_void) {
    control::settle();
    // SAFETY: the program passes what `malloc` gave it.
    unsafe { __libc_free(memory) };
}

/// Shared memory with an id: the bytes are in a file without a name that the fork server made, so
/// that all processes of an execution have it and nobody else.
pub(crate) fn attach(id: u64, fd: c_int, length: usize, at: u64) -> usize {
    let address = sys::map(length, fd, true);
    if address != 0 {
        add(address, length, BY_ID | MEMORY << 32 | id, at);
    }
    address
}

/// Undoes it.
pub(crate) fn detach(address: usize) -> bool {
    let Some(region) = (TABLE.iter()).find(|r| r.start.load(Ordering::Relaxed) == address) else {
        return false;
    };
    let length = region.length.load(Ordering::Relaxed);
    munmap(address, length) == 0
}
