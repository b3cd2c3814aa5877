//! Notes beside stored states: a few bytes each that threads read and change at the same time.

use super::words::Words;
use std::sync::atomic::Ordering;

/// How wide a note is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notes {
    /// There are none.
    None,
    /// One byte.
    Byte,
    /// Four bytes.
    Half,
    /// Eight bytes.
    Word,
}

impl Notes {
    /// Bytes of a note.
    pub(super) fn bytes(self) -> usize {
        match self {
            Notes::None => 0,
            Notes::Byte => 1,
            Notes::Half => 4,
            Notes::Word => 8,
        }
    }

    /// A note lies at a multiple of so many bytes.
    pub(super) fn align(self) -> usize {
        self.bytes().max(1)
    }

    /// Words that so many notes take.
    pub(super) fn words(self, count: usize) -> usize {
        (count * self.bytes()).div_ceil(size_of::<u64>())
    }

    /// The note of that number.
    #[inline]
    pub(super) fn get(self, memory: &Words, number: usize) -> u64 {
        match self {
            Notes::None => 0,
            Notes::Byte => u64::from(memory.octets()[number].load(Ordering::Acquire)),
            Notes::Half => u64::from(memory.halves()[number].load(Ordering::Acquire)),
            Notes::Word => memory[number].load(Ordering::Acquire),
        }
    }

    /// Changes the note of that number.
    #[inline]
    pub(super) fn put(self, memory: &Words, number: usize, note: u64) {
        match self {
            Notes::None => {}
            Notes::Byte => memory.octets()[number].store(note as u8, Ordering::Release),
            Notes::Half => memory.halves()[number].store(note as u32, Ordering::Release),
            Notes::Word => memory[number].store(note, Ordering::Release),
        }
    }

    /// Changes the note of that number in one step, unless `change` gives `None`. Gives the note as it was: `Ok` if it was
    /// changed.
    #[inline]
    pub(super) fn update(
        self,
        memory: &Words,
        number: usize,
        mut change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        macro_rules! update {
            ($atomics:expr, $int:ty) => {{
                let atomic = &$atomics[number];
                let change = |note| change(u64::from(note)).map(|note| note as $int);
                let answer = atomic.fetch_update(Ordering::AcqRel, Ordering::Acquire, change);
                answer.map(u64::from).map_err(u64::from)
            }};
        }
        match self {
            Notes::None => Err(0),
            Notes::Byte => update!(memory.octets(), u8),
            Notes::Half => update!(memory.halves(), u32),
            Notes::Word => update!(memory, u64),
        }
    }
}
