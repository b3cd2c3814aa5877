//! What the workers of a nested search note with a state, in one word.
//!
//! Whether it is blue, red or accepting; whether it has been entered; which of its moves are made; and a bit for each worker
//! on whose path it lies. The lowest byte belongs to the [sweep](super::super::sweep) and means nothing here.

use super::super::expand::Decision;
use crate::store::{ExactStore, StateId};

/// The note of a state.
#[derive(Copy, Clone)]
pub(in super::super) struct Note(u32);

/// Some worker has left the state: what moves are made does not change any more.
pub(in super::super) const BLUE: u32 = 1 << 31;
/// No accepting cycle is reachable from the state.
pub(in super::super) const RED: u32 = 1 << 30;
/// The state is accepting; known when it has been entered.
pub(in super::super) const ACCEPTING: u32 = 1 << 29;
/// Some worker has entered the state.
pub(in super::super) const ENTERED: u32 = 1 << 28;

/// Bits of a decision, above the lowest byte: 0 if there is none yet.
const DECISION: u32 = 0xff << SHIFT;
const SHIFT: u32 = 8;
const ALL: u32 = 1;
const FIRST_SET: u32 = 2;

/// Bits for workers lie between.
const FIRST_WORKER: u32 = SHIFT + DECISION.count_ones();
/// So many workers have a bit.
pub(in super::super) const MOST_WORKERS: usize = (ENTERED.trailing_zeros() - FIRST_WORKER) as usize;

/// The bit of a worker: the state is *cyan* to it, on its path.
pub(in super::super) fn cyan(worker: usize) -> u32 {
    1 << (FIRST_WORKER + worker as u32)
}

impl Note {
    pub(in super::super) fn of(store: &ExactStore, id: StateId) -> Note {
        Note(store.note(id) as u32)
    }

    pub(in super::super) fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    pub(in super::super) fn decision(self) -> Option<Decision> {
        match (self.0 & DECISION) >> SHIFT {
            0 => None,
            ALL => Some(Decision::All),
            set => Some(Decision::Ample(set - FIRST_SET)),
        }
    }

    fn decided(self, decision: Decision) -> Note {
        let bits = match decision {
            Decision::All => ALL,
            Decision::Ample(index) => {
                debug_assert!(index + FIRST_SET <= DECISION >> SHIFT, "too many sets");
                index + FIRST_SET
            }
        };
        Note(self.0 & !DECISION | bits << SHIFT)
    }

    /// Raises flags, and gives the note as it was.
    pub(in super::super) fn raise(store: &ExactStore, id: StateId, flags: u32) -> Note {
        update(store, id, |note| Some(Note(note.0 | flags))).0
    }

    /// Takes flags back.
    pub(in super::super) fn lower(store: &ExactStore, id: StateId, flags: u32) {
        update(store, id, |note| Some(Note(note.0 & !flags)));
    }

    /// Decides which moves of a state are made: these, or all where that was decided otherwise before. `None` if the state
    /// is blue: then nothing changes.
    pub(in super::super) fn decide(
        store: &ExactStore,
        id: StateId,
        decision: Decision,
    ) -> Option<Decision> {
        let joined = |note: Note| match note.decision() {
            Some(other) if other != decision => Decision::All,
            _ => decision,
        };
        let change = |note: Note| (!note.has(BLUE)).then(|| note.decided(joined(note)));
        let (before, changed) = update(store, id, change);
        changed.then(|| joined(before))
    }

    /// Makes a state blue, if exactly those of its moves are made, or it is blue already.
    pub(in super::super) fn make_blue(store: &ExactStore, id: StateId, decision: Decision) -> bool {
        let agrees = |note: Note| note.has(BLUE) || note.decision() == Some(decision);
        let change = |note: Note| agrees(note).then_some(Note(note.0 | BLUE));
        update(store, id, change).1
    }
}

/// Changes a note in one step, if `change` gives another one; gives it as it was, and whether it was changed.
fn update(store: &ExactStore, id: StateId, change: impl Fn(Note) -> Option<Note>) -> (Note, bool) {
    let answer = store.update_note(id, |note| {
        change(Note(note as u32)).map(|note| u64::from(note.0))
    });
    match answer {
        Ok(before) => (Note(before as u32), true),
        Err(before) => (Note(before as u32), false),
    }
}
