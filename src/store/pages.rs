//! Zeroed words in huge pages, where the system has them.
//!
//! A search looks up states all over its table; with pages of 4 KiB nearly every look also misses the processor's cache of
//! page addresses, which a prefetch has to wait for like any other access. With huge pages it rarely does. A small table
//! comes from the heap.

use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};

/// From this many bytes on memory is mapped: the size of a huge page.
const LARGE: usize = 1 << 21;

/// Words, all zero at first.
#[derive(Debug)]
pub(super) enum Words {
    Small(Box<[u64]>),
    Large(MmapMut),
}

impl Words {
    /// So many words.
    pub(super) fn zeroed(count: usize) -> Words {
        match map(count * size_of::<u64>()) {
            Some(map) => Words::Large(map),
            None => Words::Small(vec![0; count].into_boxed_slice()),
        }
    }

    /// No words: frees those that there were when assigned to them.
    pub(super) fn none() -> Words {
        Words::Small(Box::default())
    }
}

fn map(bytes: usize) -> Option<MmapMut> {
    if bytes < LARGE {
        return None;
    }
    let map = MmapMut::map_anon(bytes).ok()?;
    // Where the advice is not taken, pages are small.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Words::Small(words) => words,
            // SAFETY: a mapping begins at a page, so it is aligned; it lives as long as the borrow of `self`; every
            // pattern of bits is a word.
            Words::Large(map) => unsafe {
                std::slice::from_raw_parts(map.as_ptr().cast(), map.len() / size_of::<u64>())
            },
        }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Words::Small(words) => words,
            // SAFETY: as above, and the borrow is unique because that of `self` is.
            Words::Large(map) => unsafe {
                let words = map.len() / size_of::<u64>();
                std::slice::from_raw_parts_mut(map.as_mut_ptr().cast(), words)
            },
        }
    }
}
