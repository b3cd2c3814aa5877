//! Telling the processor what memory will be looked at soon.
//!
//! A lookup in a large table is mostly waiting for memory. A prefetch starts the waiting early, does not stop anything
//! else, and unlike a load is not held up by a branch that was guessed wrong.

/// Bytes that are fetched together.
pub(super) const LINE: usize = 64;

/// Starts to bring the beginning of `bytes` into the cache, at most `lines` lines of it.
#[inline(always)]
pub(super) fn prefetch<T>(items: &[T], lines: usize) {
    let bytes = size_of_val(items).min(lines * LINE);
    for at in (0..bytes).step_by(LINE) {
        prefetch_at(items.as_ptr() as usize + at);
    }
}

/// Starts to bring what lies at an address into the cache. The address may be wrong.
#[inline(always)]
pub(super) fn prefetch_at(address: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint that reads nothing the program can see, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address as *const i8) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
