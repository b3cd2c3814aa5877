//! What the nested search notes with a state, in one word.
//!
//! Two bits of colour; the depth while the state is on the path; then which of its moves were made and, unless all were,
//! its rank and whether it is tied, for the proviso (see [`nested`](super::super::nested)).

use super::super::expand::Decision;
use crate::store::{ExactStore, StateId};

/// The note of a state.
#[derive(Copy, Clone)]
pub(in super::super) struct Note(u32);

/// Colours.
pub(in super::super) const WHITE: u32 = 0;
pub(in super::super) const CYAN: u32 = 1 << 30;
pub(in super::super) const BLUE: u32 = 2 << 30;
pub(in super::super) const RED: u32 = 3 << 30;
const COLOUR: u32 = 3 << 30;
const REST: u32 = CYAN - 1;

const TIED: u32 = 1 << 29;
/// Bits of a decision, and of the rank above them.
const DECISION: u32 = (1 << 8) - 1;
const RANK: u32 = DECISION.count_ones();
const MAX_RANK: u32 = (TIED >> RANK) - 1;

/// Depths from here on cannot be noted.
pub(in super::super) const MAX_DEPTH: u32 = REST;

impl Note {
    pub(in super::super) fn of(store: &ExactStore, id: StateId) -> Note {
        Note(store.note(id) as u32)
    }

    pub(in super::super) fn put(self, store: &mut ExactStore, id: StateId) {
        store.set_note(id, u64::from(self.0));
    }

    /// A state at that depth of the path.
    pub(in super::super) fn on_path(depth: u32) -> Note {
        Note(CYAN | depth)
    }

    /// A state that has been left, with its tie if it has one: the rank.
    pub(in super::super) fn left(colour: u32, decision: Decision, tie: Option<u32>) -> Note {
        match decision {
            Decision::All => Note(colour),
            Decision::Ample(index) => {
                debug_assert!(index < DECISION, "too many sets");
                let tie = tie.map_or(0, |rank| TIED | rank.min(MAX_RANK) << RANK);
                Note(colour | tie | (index + 1))
            }
        }
    }

    pub(in super::super) fn is(self, colour: u32) -> bool {
        self.0 & COLOUR == colour
    }

    pub(in super::super) fn coloured(self, colour: u32) -> Note {
        Note(self.0 & REST | colour)
    }

    /// Which of the moves of a state that has been left were made.
    pub(in super::super) fn decision(self) -> Decision {
        match self.0 & DECISION {
            0 => Decision::All,
            index => Decision::Ample(index - 1),
        }
    }

    /// The rank of a state that has been left, if it is tied. One that is too high to be noted is higher than any.
    pub(in super::super) fn tie(self) -> Option<u32> {
        let rank = (self.0 & (TIED - 1)) >> RANK;
        let rank = if rank == MAX_RANK { u32::MAX } else { rank };
        (self.0 & TIED != 0).then_some(rank)
    }

    /// The depth of a state on the path.
    pub(in super::super) fn depth(self) -> u32 {
        self.0 & REST
    }
}
