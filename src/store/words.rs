//! Zeroed words that many threads may write, in huge pages where the system has them, or in files.
//!
//! A search looks up states all over its table; with pages of 4 KiB nearly every look also misses the processor's cache of
//! page addresses, which a prefetch has to wait for like any other access. With huge pages it rarely does. A small table
//! comes from the heap. When memory runs out and there is a folder to spill to, words are mapped from a file there, and the
//! system decides what stays in memory.
//!
//! What is large may be refused by the system, and then there are no words: the store is full. A file gets all its room on
//! the disk before it is mapped. Without that, the first write to a page for which the disk has no room would end the
//! process by a signal (SIGBUS) instead of an answer that a search can report.

use crate::checkpoint::{In, Out, Persist, misfit, no_memory};
use crate::faults::refuses_table;
use memmap2::{MmapMut, MmapOptions};
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// The size of a huge page.
const HUGE: usize = 1 << 21;
/// From this many bytes on memory is mapped.
const LARGE: usize = HUGE / 2;

/// Words, all zero at first.
#[derive(Debug)]
pub(super) enum Words {
    Small(Box<[AtomicU64]>),
    Large {
        map: MmapMut,
        count: usize,
        in_file: bool,
    },
}

impl Words {
    /// So many words that are looked up all over; `None` if the system refuses them.
    pub(super) fn zeroed(count: usize) -> Option<Words> {
        Words::in_pages(count, true)
    }

    /// A few words, for which there is always room.
    pub(super) fn few(count: usize) -> Words {
        debug_assert!(count * size_of::<u64>() < LARGE);
        Words::Small((0..count).map(|_| AtomicU64::new(0)).collect())
    }

    /// So many words that are written from front to back. There small pages do: to find huge ones takes longer than they
    /// save. `None` if the system refuses them.
    pub(super) fn in_small_pages(count: usize) -> Option<Words> {
        Words::in_pages(count, false)
    }

    fn in_pages(count: usize, huge: bool) -> Option<Words> {
        let bytes = count.checked_mul(size_of::<u64>())?;
        #[cfg(test)]
        if refusal::is_due() {
            return None;
        }
        if refuses_table() {
            return None;
        }
        if bytes < LARGE {
            return Some(Words::few(count));
        }
        Some(Words::Large {
            map: map(bytes, huge)?,
            count,
            in_file: false,
        })
    }

    /// So many words in a nameless file in that folder; `None` when the file cannot be made, or the disk is full.
    pub(super) fn in_file(count: usize, folder: &Path) -> Option<Words> {
        let bytes = count.max(1).checked_mul(size_of::<u64>())?;
        #[cfg(test)]
        if refusal::is_due() {
            return None;
        }
        if refuses_table() {
            return None;
        }
        let file = tempfile::tempfile_in(folder).ok()?;
        reserve(&file, bytes as u64).ok()?;
        // SAFETY: the file has no name any more, so no other process can change it while it is mapped.
        let map = unsafe { MmapOptions::new().len(bytes).map_mut(&file) }.ok()?;
        Some(Words::Large {
            map,
            count,
            in_file: true,
        })
    }

    /// Bytes of memory; none if they lie in a file.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Words::Large { in_file: true, .. } => 0,
            words => (words.len() * size_of::<u64>()) as u64,
        }
    }

    /// The same memory as halves of words.
    #[inline]
    pub(super) fn halves(&self) -> &[AtomicU32] {
        let words: &[AtomicU64] = self;
        // SAFETY: the memory of the words is valid and aligned for twice as many halves, and is only ever accessed by
        // one kind of atomic: callers that ask for halves ask for nothing else.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len() * 2) }
    }

    /// The same memory as bytes.
    #[inline]
    pub(super) fn octets(&self) -> &[AtomicU8] {
        let words: &[AtomicU64] = self;
        // SAFETY: as for halves.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len() * 8) }
    }
}

impl Words {
    /// The same memory as plain bytes, in part.
    ///
    /// # Safety
    ///
    /// Nobody may write to that part as long as the slice lives.
    #[inline]
    pub(super) unsafe fn plain(&self, range: Range<usize>) -> &[u8] {
        let octets = &self.octets()[range];
        // SAFETY: the part lies within the memory, and the caller sees to it that it does not change.
        unsafe { std::slice::from_raw_parts(octets.as_ptr().cast(), octets.len()) }
    }

    /// Writes plain bytes from a place on.
    ///
    /// # Safety
    ///
    /// Nobody else may read or write that part meanwhile.
    #[inline]
    pub(super) unsafe fn write(&self, at: usize, bytes: &[u8]) {
        let part = &self.octets()[at..at + bytes.len()];
        // SAFETY: the part lies within the memory, which may be written through shared references since it consists of
        // atomics; it does not overlap `bytes`, since the caller says that no other thread reads it.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                part.as_ptr().cast_mut().cast(),
                bytes.len(),
            );
        }
    }
}

/// Checkpoints.
impl Words {
    /// Writes the first words; nobody may change them meanwhile.
    pub(super) fn save(&self, count: usize, out: &mut Out) -> io::Result<()> {
        count.save(out)?;
        let mut bytes = Vec::with_capacity(PIECE * size_of::<u64>());
        for piece in self[..count].chunks(PIECE) {
            bytes.clear();
            let words = piece.iter().map(|word| word.load(Ordering::Relaxed));
            words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
            out.write(&bytes)?;
        }
        Ok(())
    }

    /// Reads words that were written so, into `room` for at least as many.
    pub(super) fn load(
        input: &mut In,
        room: impl FnOnce(usize) -> Option<Words>,
    ) -> io::Result<Words> {
        let count = usize::load(input)?;
        let words = room(count).ok_or_else(no_memory)?;
        let mut bytes = [0; PIECE * size_of::<u64>()];
        for piece in words.get(..count).ok_or_else(misfit)?.chunks(PIECE) {
            let bytes = &mut bytes[..size_of_val(piece)];
            input.read(bytes)?;
            for (word, bytes) in piece.iter().zip(bytes.as_chunks().0) {
                word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
            }
        }
        Ok(words)
    }
}

/// Words that are written at a time.
const PIECE: usize = 512;

/// Makes an empty file that long, with room on the disk for all of it.
fn reserve(mut file: &File, bytes: u64) -> io::Result<()> {
    // Going beyond the limit on the size of files would raise a signal.
    let most = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    if most.is_some_and(|most| bytes > most) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    #[cfg(target_os = "linux")]
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
        answer => return Ok(answer?),
    }
    // Where the system cannot do it, writing zeros does.
    let copied = io::copy(&mut io::repeat(0).take(bytes), &mut file)?;
    match copied == bytes {
        true => file.flush(),
        false => Err(io::ErrorKind::StorageFull.into()),
    }
}

fn map(bytes: usize, huge: bool) -> Option<MmapMut> {
    // Only whole huge pages are mapped to where huge pages can begin.
    let map = MmapMut::map_anon(bytes.checked_next_multiple_of(HUGE)?).ok()?;
    // The last page is a huge one if half of it is needed. Where the advice is not taken, all pages are small.
    #[cfg(target_os = "linux")]
    if huge {
        let length = (bytes + HUGE / 2) / HUGE * HUGE;
        let _ = map.advise_range(memmap2::Advice::HugePage, 0, length);
    }
    Some(map)
}

impl Deref for Words {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        match self {
            Words::Small(words) => words,
            // SAFETY: a mapping begins at a page, so it is aligned; it has room for
            // `count` words, and lives as long as the borrow of `self`; every
            // pattern of bits is a word; and the mapping's bytes are accessed as atomics only.
            Words::Large { map, count, .. } => unsafe {
                std::slice::from_raw_parts(map.as_ptr().cast(), *count)
            },
        }
    }
}

/// Refusals on purpose: what the system does when there is no more memory.
#[cfg(test)]
pub(super) mod refusal {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// Does something while the system gives so many more pieces in this thread, and then none.
    pub(in crate::store) fn after<R>(pieces: u32, work: impl FnOnce() -> R) -> R {
        LEFT.set(Some(pieces));
        let result = work();
        LEFT.set(None);
        result
    }

    pub(super) fn is_due() -> bool {
        match LEFT.get() {
            Some(0) => true,
            left => {
                LEFT.set(left.map(|n| n - 1));
                false
            }
        }
    }
}
