//! What the search for fair cycles notes with a state: where it stands in the search for components.

use crate::store::{ExactStore, StateId};

/// The note of a state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Note {
    /// It has not been entered.
    Unknown,
    /// It was entered as the one of that number, from 1, and its component is not complete.
    Entered(u32),
    /// Its component is being looked into, and this is its place there.
    LookedAt(u32),
    /// It is in no component that is not complete.
    Left,
}

/// All bits: the state has been left.
const LEFT: u32 = u32::MAX;
/// The uppermost bit: the others are a place.
const LOOKED_AT: u32 = 1 << 31;

/// Numbers and places from here on cannot be noted.
pub(in super::super) const MOST: u32 = LOOKED_AT - 1;

impl Note {
    #[inline]
    pub(in super::super) fn of(store: &ExactStore, id: StateId) -> Note {
        match store.note(id) as u32 {
            0 => Note::Unknown,
            LEFT => Note::Left,
            note if note & LOOKED_AT != 0 => Note::LookedAt(note & !LOOKED_AT),
            number => Note::Entered(number),
        }
    }

    #[inline]
    pub(in super::super) fn put(self, store: &mut ExactStore, id: StateId) {
        let note = match self {
            Note::Unknown => 0,
            Note::Entered(number) => number,
            Note::LookedAt(place) => LOOKED_AT | place,
            Note::Left => LEFT,
        };
        store.set_note(id, u64::from(note));
    }
}
