//! What happens when the system refuses memory to the process: the search ends, and there is a report.
//!
//! Tables of states are asked for in large pieces, and a refusal there is an answer of the store. Everything else (stacks of
//! a search, small tables, reports) grows wherever it is written, and Rust ends a process that is refused memory there. The
//! command therefore has an allocator of its own around that of the system, with three lines of defence:
//!
//! 1. Vectors double. The allocator notes the largest piece it ever gave, and the monitor of a search tries from time to time
//!    whether twice as much could be had now ([`is_short`]). If not, the search stops while it still has what it needs.
//! 2. A *reserve* of address space is held from the start and given back at the first refusal, which is then tried again.
//!    That is enough for the search to come to the place where it looks at its limits, and for the report. Nothing
//!    is ever written to it, so it takes no memory as long as there is enough.
//! 3. What is refused even then cannot be had. A sentence is written, and the process ends with the exit code of an
//!    inconclusive search. No verdict is lost that was printed before, and none is made up.
//!
//! The state below is that of the process, like the memory it is about. Without the allocator (in programs that use the library)
//! nothing here is ever set.

use memmap2::MmapMut;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Pieces from this size on are worth a note.
const LARGE: usize = 1 << 20;
/// What is given back at the first refusal.
const RESERVE: Layout = match Layout::from_size_align(32 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};
/// What a search must be able to get beside the next size of its largest vector.
const SLACK: usize = 8 << 20;

static LARGEST: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The allocator of the command.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: every piece comes from the system's allocator and goes back to it with the layout it was asked for with; what is
// noted beside that does not touch it. Nothing here allocates or unwinds.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        got(layout.size(), || unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        got(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; a refusal leaves the piece as it is, so it can be tried again.
        got(size, || unsafe { System.realloc(piece, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(piece, layout) }
    }
}

/// A piece of that size, at the first or at the second try.
#[inline]
fn got(size: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    if size >= LARGE {
        LARGEST.fetch_max(size, Ordering::Relaxed);
    }
    let piece = match injected::refuses(size) {
        true => null_mut(),
        false => ask(),
    };
    if piece.is_null() {
        again(size, ask)
    } else {
        piece
    }
}

/// Refusals on purpose, in builds with the feature `faults`: `AMPLE_FAULT_ALLOC=N` refuses the N-th piece of at least a page and
/// all later ones, as a system without memory does, until the reserve is given back; from then on there is as much as was given
/// back.
#[cfg(feature = "faults")]
mod injected {
    use super::RESERVE;
    use std::ffi::CStr;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    const PAGE: usize = 4096;
    const UNKNOWN: u64 = u64::MAX;
    static FIRST: AtomicU64 = AtomicU64::new(UNKNOWN);
    static ASKED: AtomicU64 = AtomicU64::new(0);
    static LEFT: AtomicUsize = AtomicUsize::new(0);

    /// The number in the environment, 0 if there is none; without asking for memory.
    fn first() -> u64 {
        let known = FIRST.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return known;
        }
        // SAFETY: the name ends with a zero; nobody changes the environment of this program.
        let value = unsafe { libc::getenv(c"AMPLE_FAULT_ALLOC".as_ptr()) };
        let digits = match value.is_null() {
            true => &[],
            // SAFETY: the environment is made of strings that end with a zero and live as long as the program.
            false => unsafe { CStr::from_ptr(value) }.to_bytes(),
        };
        let digit = |n: u64, d: &u8| {
            n.saturating_mul(10)
                .saturating_add(u64::from(d.wrapping_sub(b'0')))
        };
        let number = digits.iter().fold(0, digit).min(UNKNOWN - 1);
        FIRST.store(number, Ordering::Relaxed);
        number
    }

    pub(super) fn refuses(size: usize) -> bool {
        let first = first();
        if size < PAGE || first == 0 || ASKED.fetch_add(1, Ordering::Relaxed) + 1 < first {
            return false;
        }
        !takes(size)
    }

    /// Takes so much of what was given back.
    pub(super) fn takes(size: usize) -> bool {
        let take = |left: usize| left.checked_sub(size);
        LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }

    /// The reserve has been given back.
    pub(super) fn given_back() {
        LEFT.fetch_add(RESERVE.size(), Ordering::Relaxed);
    }

    /// Whether the second try is refused too.
    pub(super) fn refuses_again(size: usize) -> bool {
        let first = first();
        size >= PAGE && first != 0 && ASKED.load(Ordering::Relaxed) >= first && !takes(size)
    }
}

#[cfg(not(feature = "faults"))]
mod injected {
    #[inline(always)]
    pub(super) fn refuses(_: usize) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn given_back() {}

    #[inline(always)]
    pub(super) fn refuses_again(_: usize) -> bool {
        false
    }
}

#[cold]
fn again(size: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    REFUSED.store(true, Ordering::Relaxed);
    let held = HELD.swap(null_mut(), Ordering::Relaxed);
    if !held.is_null() {
        // SAFETY: it was got from there with that layout, and nobody else has it any more.
        unsafe { System.dealloc(held, RESERVE) };
        injected::given_back();
    }
    let piece = match injected::refuses_again(size) {
        true => null_mut(),
        false => ask(),
    };
    if piece.is_null() {
        give_up();
    }
    piece
}

/// Takes the reserve, unless it is held already; then what was refused before is forgotten. To be called before each search.
pub(super) fn hold_reserve() {
    if !HELD.load(Ordering::Relaxed).is_null() {
        return;
    }
    // SAFETY: the size is not zero.
    let piece = unsafe { System.alloc(RESERVE) };
    if piece.is_null() {
        return;
    }
    match HELD.compare_exchange(null_mut(), piece, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => REFUSED.store(false, Ordering::Relaxed),
        // SAFETY: it was got just now, with that layout; another thread was faster.
        Err(_) => unsafe { System.dealloc(piece, RESERVE) },
    }
}

/// Whether memory has been refused, or the next piece that a search may ask for would be.
pub(super) fn is_short() -> bool {
    let next = LARGEST.load(Ordering::Relaxed).saturating_mul(2);
    REFUSED.load(Ordering::Relaxed) || MmapMut::map_anon(next.saturating_add(SLACK)).is_err()
}

/// Ends the process with a sentence and the exit code of [`super::Exit::Inconclusive`], without asking for memory.
fn give_up() -> ! {
    const SENTENCE: &str = "error: the system has no more memory, not even for a report: \
        inconclusive\n  help: set --memory below what the system gives\n";
    #[cfg(unix)]
    // SAFETY: the sentence is as long as is said; `_exit` runs nothing of this program.
    unsafe {
        libc::write(
            libc::STDERR_FILENO,
            SENTENCE.as_ptr().cast(),
            SENTENCE.len(),
        );
        libc::_exit(3)
    }
    #[cfg(not(unix))]
    std::process::abort()
}
