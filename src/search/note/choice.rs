//! What the choice of ample sets beforehand notes with a state: whether it is on the path, then what was decided.

use super::super::expand::Decision;
use crate::store::{ExactStore, StateId};

/// The note of a state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Note {
    /// It has not been entered.
    Unknown,
    /// It is on the path, and it is not known yet that all its moves are made.
    Open,
    /// It is on the path, and all its moves are made.
    Full,
    /// It has been left.
    Decided(Decision),
}

const OPEN: u32 = u32::MAX;
const FULL: u32 = OPEN - 1;
const ALL: u32 = 1;
const FIRST_SET: u32 = 2;

impl Note {
    pub(in super::super) fn of(store: &ExactStore, id: StateId) -> Note {
        match store.note(id) as u32 {
            0 => Note::Unknown,
            OPEN => Note::Open,
            FULL => Note::Full,
            ALL => Note::Decided(Decision::All),
            set => Note::Decided(Decision::Ample(set - FIRST_SET)),
        }
    }

    pub(in super::super) fn put(self, store: &mut ExactStore, id: StateId) {
        let note = match self {
            Note::Unknown => 0,
            Note::Open => OPEN,
            Note::Full => FULL,
            Note::Decided(Decision::All) => ALL,
            Note::Decided(Decision::Ample(index)) => index + FIRST_SET,
        };
        store.set_note(id, u64::from(note));
    }
}
