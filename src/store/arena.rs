//! An append-only sequence of records in chunks that never move.
//!
//! A record is `extra` bytes of fixed length, the length of the key (LEB128), and the key. A record lies within
//! one chunk; a chunk ends with its last record. The first chunk grows, so that a small search costs little; the
//! others have their size from the beginning, but the system maps their pages when they are first written.

const CHUNK_BITS: u32 = 24;
const CHUNK: usize = 1 << CHUNK_BITS;
const MASK: u64 = CHUNK as u64 - 1;

/// Records of a key and `extra` bytes each, addressed by their offset.
#[derive(Debug)]
pub(super) struct Arena {
    extra: usize,
    chunks: Vec<Vec<u8>>,
    written: u64,
}

impl Arena {
    pub(super) fn new(extra: usize) -> Arena {
        Arena {
            extra,
            chunks: Vec::new(),
            written: 0,
        }
    }

    /// Bytes in use: what has been written, and the chunk table.
    pub(super) fn bytes(&self) -> u64 {
        self.written + (self.chunks.capacity() * size_of::<Vec<u8>>()) as u64
    }

    /// Bytes that a record with such a key takes; `None` if it can have no place.
    pub(super) fn record_len(&self, key: &[u8]) -> Option<usize> {
        let n = self.extra + leb_len(key.len() as u64) + key.len();
        (n <= CHUNK).then_some(n)
    }

    /// Appends a record of `len` bytes (from [`Arena::record_len`]), whose extra bytes come in two parts, and gives its offset.
    pub(super) fn push(&mut self, key: &[u8], along: &[u8], note: &[u8], len: usize) -> u64 {
        debug_assert_eq!(along.len() + note.len(), self.extra);
        if self.chunks.last().is_none_or(|c| c.len() + len > CHUNK) {
            let grows = self.chunks.is_empty();
            let capacity = if grows { 0 } else { CHUNK };
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let index = self.chunks.len() - 1;
        let chunk = &mut self.chunks[index];
        let at = chunk.len();
        chunk.extend_from_slice(along);
        chunk.extend_from_slice(note);
        write_leb(chunk, key.len() as u64);
        chunk.extend_from_slice(key);
        debug_assert_eq!(chunk.len(), at + len);
        self.written += len as u64;
        ((index as u64) << CHUNK_BITS) | at as u64
    }

    /// The bytes from a record on, to the end of its chunk.
    pub(super) fn at(&self, offset: u64) -> &[u8] {
        &self.chunks[(offset >> CHUNK_BITS) as usize][(offset & MASK) as usize..]
    }

    pub(super) fn key(&self, offset: u64) -> &[u8] {
        let record = &self.at(offset)[self.extra..];
        let (len, at) = read_leb(record);
        &record[at..at + len as usize]
    }

    pub(super) fn extra(&self, offset: u64) -> &[u8] {
        &self.at(offset)[..self.extra]
    }

    pub(super) fn extra_mut(&mut self, offset: u64) -> &mut [u8] {
        let at = (offset & MASK) as usize;
        &mut self.chunks[(offset >> CHUNK_BITS) as usize][at..at + self.extra]
    }

    /// Visits all records, oldest first.
    pub(super) fn for_each(&self, mut f: impl FnMut(u64, &[u8])) {
        for (index, chunk) in self.chunks.iter().enumerate() {
            let mut at = 0;
            while at < chunk.len() {
                let (len, used) = read_leb(&chunk[at + self.extra..]);
                let start = at + self.extra + used;
                let stop = start + len as usize;
                f(
                    ((index as u64) << CHUNK_BITS) | at as u64,
                    &chunk[start..stop],
                );
                at = stop;
            }
        }
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

fn write_leb(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn read_leb(bytes: &[u8]) -> (u64, usize) {
    let first = bytes[0];
    if first < 0x80 {
        return (first as u64, 1);
    }
    let mut n = (first & 0x7f) as u64;
    let mut at = 1;
    loop {
        let b = bytes[at];
        n |= ((b & 0x7f) as u64) << (7 * at);
        at += 1;
        if b < 0x80 {
            return (n, at);
        }
    }
}
