//! An append-only sequence of records in chunks that never move.
//!
//! A record is a *note* that may change, bytes of fixed length that go along, the length of the key (LEB128), and the key.
//! It lies within one chunk. Threads append at the same time: each has a [`Pen`] and writes to a chunk of its own. Others
//! may look at a record once they have got its offset from where it is published after writing (a slot of the
//! table); from then on nothing of it changes but the note, which is atomic.
//!
//! The first chunks are small, so that a small search costs little; of the others the system hands out pages when they are
//! first written.

use super::Notes;
use super::words::Words;
use crate::checkpoint::{In, Out, Persist, misfit};
use std::io;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

const CHUNK_BITS: u32 = 24;
const CHUNK: usize = 1 << CHUNK_BITS;
const MASK: u64 = CHUNK as u64 - 1;
/// The chunks are listed on pages of so many.
const PAGE_BITS: u32 = 8;
const PAGE: usize = 1 << PAGE_BITS;

/// Bits of an offset.
pub(super) const OFFSET_BITS: u32 = CHUNK_BITS + 2 * PAGE_BITS;

#[derive(Debug)]
struct Chunk {
    memory: Words,
    /// Bytes written.
    filled: AtomicU32,
}

type Page = Box<[OnceLock<Chunk>]>;

/// Records addressed by their offset.
#[derive(Debug)]
pub(super) struct Arena {
    notes: Notes,
    along: usize,
    pages: Box<[OnceLock<Page>]>,
    /// Chunks given out.
    given: AtomicU32,
    written: AtomicU64,
}

/// Where one thread writes.
#[derive(Debug, Default)]
pub(super) struct Pen {
    /// Number of its chunk, if it has one.
    chunk: Option<u32>,
    at: usize,
}

impl Clone for Pen {
    /// A pen for another thread: it has no chunk yet.
    fn clone(&self) -> Pen {
        Pen::default()
    }
}

fn empty<T>(count: usize) -> Box<[OnceLock<T>]> {
    (0..count).map(|_| OnceLock::new()).collect()
}

/// Bytes of the chunk of that number.
fn chunk_size(number: u32) -> usize {
    match number {
        0 => 1 << 16,
        1..4 => 1 << 20,
        _ => CHUNK,
    }
}

impl Arena {
    pub(super) fn new(notes: Notes, along: usize) -> Arena {
        Arena {
            notes,
            along,
            pages: empty(PAGE),
            given: AtomicU32::new(0),
            written: AtomicU64::new(0),
        }
    }

    /// Bytes in use: what has been written.
    pub(super) fn bytes(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Bytes that a record with such a key takes; `None` if it can have no place.
    pub(super) fn record_len(&self, key: &[u8]) -> Option<usize> {
        let head = self.notes.bytes() + self.along + leb_len(key.len() as u64);
        let len = (head + key.len()).next_multiple_of(self.notes.align());
        (len <= CHUNK).then_some(len)
    }

    #[inline]
    fn chunk(&self, number: u32) -> Option<&Chunk> {
        let page = self.pages.get((number >> PAGE_BITS) as usize)?.get()?;
        page[number as usize & (PAGE - 1)].get()
    }

    /// Appends a record of `len` bytes (from [`Arena::record_len`]) and gives its offset; `None` when there are no offsets left,
    /// or no memory.
    #[inline]
    pub(super) fn push(
        &self,
        pen: &mut Pen,
        key: &[u8],
        along: &[u8],
        note: u64,
        len: usize,
    ) -> Option<u64> {
        debug_assert_eq!(along.len(), self.along);
        let fits = |number: &u32| pen.at + len <= chunk_size(*number);
        let number = match pen.chunk.filter(fits) {
            Some(number) => number,
            None => self.new_chunk(pen, len)?,
        };
        let chunk = self.chunk(number)?;
        let at = pen.at;
        let mut head = [0; 10];
        let head_len = write_leb(&mut head, key.len() as u64);
        let mut place = at + self.notes.bytes();
        for bytes in [along, &head[..head_len], key] {
            // SAFETY: only this pen writes to this chunk, beyond what it has written before; no other thread knows an
            // offset there.
            unsafe { chunk.memory.write(place, bytes) };
            place += bytes.len();
        }
        self.notes.put(&chunk.memory, at / self.notes.align(), note);
        pen.at = at + len;
        chunk.filled.store(pen.at as u32, Ordering::Relaxed);
        self.written.fetch_add(len as u64, Ordering::Relaxed);
        Some(u64::from(number) << CHUNK_BITS | at as u64)
    }

    /// Takes back the record of `len` bytes that this pen wrote last and has not been published.
    pub(super) fn take_back(&self, pen: &mut Pen, len: usize) {
        pen.at -= len;
        if let Some(chunk) = pen.chunk.and_then(|number| self.chunk(number)) {
            chunk.filled.store(pen.at as u32, Ordering::Relaxed);
        }
        self.written.fetch_sub(len as u64, Ordering::Relaxed);
    }

    /// A new chunk for a pen, large enough for `len` bytes.
    #[cold]
    fn new_chunk(&self, pen: &mut Pen, len: usize) -> Option<u32> {
        loop {
            let number = self.given.fetch_add(1, Ordering::Relaxed);
            if number >> (2 * PAGE_BITS) != 0 {
                self.given.fetch_sub(1, Ordering::Relaxed);
                return None;
            }
            if chunk_size(number) < len {
                continue;
            }
            // Refused by the system: the number is lost, and the store full.
            let memory = Words::in_small_pages(chunk_size(number) / size_of::<u64>())?;
            self.put(number, memory, 0);
            *pen = Pen {
                chunk: Some(number),
                at: 0,
            };
            return Some(number);
        }
    }

    /// Puts a chunk where its number says.
    fn put(&self, number: u32, memory: Words, filled: u32) {
        let page = &self.pages[(number >> PAGE_BITS) as usize];
        let page = page.get_or_init(|| empty(PAGE));
        let _ = page[number as usize & (PAGE - 1)].set(Chunk {
            memory,
            filled: AtomicU32::new(filled),
        });
    }

    fn memory(&self, offset: u64) -> (&Words, usize) {
        match self.chunk((offset >> CHUNK_BITS) as u32) {
            Some(chunk) => (&chunk.memory, (offset & MASK) as usize),
            None => unreachable!("an offset that was not given out"),
        }
    }

    /// Where a record lies.
    #[inline]
    pub(super) fn address(&self, offset: u64) -> usize {
        let (memory, at) = self.memory(offset);
        memory.as_ptr() as usize + at
    }

    /// The key of a published record.
    #[inline]
    pub(super) fn key(&self, offset: u64) -> &[u8] {
        let (memory, at) = self.memory(offset);
        let (key, _) = self.key_range(memory, at);
        // SAFETY: the key was written before its offset was published, and does not change.
        unsafe { memory.plain(key) }
    }

    /// What goes along with such a record.
    #[inline]
    pub(super) fn along(&self, offset: u64) -> &[u8] {
        let (memory, at) = self.memory(offset);
        let start = at + self.notes.bytes();
        // SAFETY: as for the key.
        unsafe { memory.plain(start..start + self.along) }
    }

    /// Where the key of the record at a place lies, and where the record ends.
    #[inline]
    fn key_range(&self, memory: &Words, at: usize) -> (Range<usize>, usize) {
        let (len, start) = read_leb(memory.octets(), at + self.notes.bytes() + self.along);
        let end = start + len;
        (start..end, end.next_multiple_of(self.notes.align()))
    }

    /// The note of a record.
    #[inline]
    pub(super) fn note(&self, offset: u64) -> u64 {
        let (memory, at) = self.memory(offset);
        self.notes.get(memory, at / self.notes.align())
    }

    /// Changes the note of a record.
    #[inline]
    pub(super) fn set_note(&self, offset: u64, note: u64) {
        let (memory, at) = self.memory(offset);
        self.notes.put(memory, at / self.notes.align(), note);
    }

    /// Changes it in one step: see [`Notes::update`].
    #[inline]
    pub(super) fn update_note(
        &self,
        offset: u64,
        change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        let (memory, at) = self.memory(offset);
        self.notes.update(memory, at / self.notes.align(), change)
    }

    /// Number of chunks; records of each can be visited by another thread.
    pub(super) fn chunks(&self) -> u32 {
        self.given.load(Ordering::Relaxed)
    }

    /// Visits all records of a chunk, oldest first. Nobody may write meanwhile.
    #[inline]
    pub(super) fn for_each(&self, number: u32, mut f: impl FnMut(u64, &[u8])) {
        let Some(chunk) = self.chunk(number) else {
            return;
        };
        let filled = chunk.filled.load(Ordering::Relaxed) as usize;
        let mut at = 0;
        while at < filled {
            let (key, end) = self.key_range(&chunk.memory, at);
            // SAFETY: no thread writes.
            let key = unsafe { chunk.memory.plain(key) };
            f(u64::from(number) << CHUNK_BITS | at as u64, key);
            at = end;
        }
    }
}

/// Checkpoints: chunks are written as far as they are filled, under their numbers.
impl Arena {
    pub(super) fn save(&self, out: &mut Out) -> io::Result<()> {
        let given = self.chunks();
        given.save(out)?;
        self.bytes().save(out)?;
        for number in 0..given {
            let chunk = self.chunk(number);
            chunk.is_some().save(out)?;
            if let Some(chunk) = chunk {
                let filled = chunk.filled.load(Ordering::Relaxed);
                filled.save(out)?;
                let words = (filled as usize).div_ceil(size_of::<u64>());
                chunk.memory.save(words, out)?;
            }
        }
        Ok(())
    }

    /// Reads one; records have the offsets that they had.
    pub(super) fn load(notes: Notes, along: usize, input: &mut In) -> io::Result<Arena> {
        let arena = Arena::new(notes, along);
        let given = u32::load(input)?;
        if given >> (2 * PAGE_BITS) != 0 {
            return Err(misfit());
        }
        arena.given.store(given, Ordering::Relaxed);
        arena.written.store(u64::load(input)?, Ordering::Relaxed);
        for number in 0..given {
            if !bool::load(input)? {
                continue;
            }
            let filled = u32::load(input)?;
            let size = chunk_size(number);
            let room = |_| Words::in_small_pages(size / size_of::<u64>());
            let memory = Words::load(input, room)?;
            if filled as usize > size {
                return Err(misfit());
            }
            arena.put(number, memory, filled);
        }
        Ok(arena)
    }
}

fn leb_len(mut n: u64) -> usize {
    let mut len = 1;
    while n >= 0x80 {
        n >>= 7;
        len += 1;
    }
    len
}

/// Writes a number, and says how many bytes it takes.
fn write_leb(out: &mut [u8; 10], mut n: u64) -> usize {
    let mut at = 0;
    while n >= 0x80 {
        out[at] = n as u8 | 0x80;
        n >>= 7;
        at += 1;
    }
    out[at] = n as u8;
    at + 1
}

/// Reads a number, and says where it ends.
#[inline]
fn read_leb(bytes: &[AtomicU8], mut at: usize) -> (usize, usize) {
    let mut byte = || {
        let byte = bytes[at].load(Ordering::Relaxed);
        at += 1;
        byte
    };
    let mut last = byte();
    let mut n = usize::from(last & 0x7f);
    let mut shift = 7;
    while last >= 0x80 {
        last = byte();
        n |= usize::from(last & 0x7f) << shift;
        shift += 7;
    }
    (n, at)
}
