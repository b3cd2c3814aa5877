//! The part of the states that one worker owns, and where it stands in them.
//!
//! States are in the exact store; the *log* says in which order they came, which is the order in which they are expanded: a
//! state's number is its place there. The note of a state has its parent, as the number of the parent's owner and the parent's
//! number in that owner's log, and says whether the state has been expanded:
//!
//! ```text
//! bit 63 fresh: not expanded yet     bit 62 parity of its level     46..62 owner of the parent     0..46 number of the parent
//! ```
//!
//! While level L is expanded, a fresh state is of level L or L + 1, so the parity tells which ([`Arrival::is_later`]); all others
//! are of level L or less.

use super::codec::PARENTS;
use crate::search::Settings;
use crate::store::{ExactStore, Insert, Notes, Shortage, StateId};
use std::ops::Range;

const FRESH: u64 = 1 << 63;
const ODD: u64 = 1 << 62;
const OWNER_SHIFT: u32 = 46;
const OWNER: u64 = (1 << 16) - 1;

/// The most workers: one more number stands for no owner.
pub(super) const MOST_WORKERS: usize = OWNER as usize;

/// A state, by its owner and its number there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) owner: u32,
    pub(super) number: u64,
}

impl Address {
    /// As a number, which fits a note.
    pub(super) fn code(of: Option<Address>) -> u64 {
        match of {
            None => OWNER << OWNER_SHIFT,
            Some(Address { owner, number }) => u64::from(owner) << OWNER_SHIFT | number,
        }
    }

    /// From a number that [`Address::code`] gave.
    pub(super) fn from_code(code: u64) -> Option<Address> {
        let owner = code >> OWNER_SHIFT & OWNER;
        let number = code & (PARENTS - 1);
        (owner != OWNER).then_some(Address {
            owner: owner as u32,
            number,
        })
    }
}

/// Numbers to states, in pieces so that growing copies nothing.
#[derive(Debug, Default)]
struct Log {
    pieces: Vec<Vec<StateId>>,
    len: u64,
}

const PIECE: usize = 1 << 14;

impl Log {
    fn push(&mut self, id: StateId) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(id),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(id);
                self.pieces.push(piece);
            }
        }
        self.len += 1;
    }

    fn get(&self, number: u64) -> Option<StateId> {
        let piece = self.pieces.get(usize::try_from(number).ok()? / PIECE)?;
        piece.get(number as usize % PIECE).copied()
    }

    fn bytes(&self) -> u64 {
        (self.pieces.len() * PIECE * size_of::<StateId>()) as u64
    }
}

/// The states of one worker.
pub(super) struct Part {
    store: ExactStore,
    log: Log,
    /// Bit 62 of the notes of states that are being inserted.
    parity: u64,
    /// The states of the level that is being expanded, those that are left.
    level: Range<u64>,
    /// The code of the parent of each state that has been collected.
    parents: Vec<u64>,
    /// What the store said of them, with their bytes.
    answers: Vec<(Insert, usize)>,
}

/// What became of a state that arrived.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Whether it was not there before.
    pub(super) is_new: bool,
    /// Whether its level is the one after that which is being expanded.
    pub(super) is_later: bool,
    /// Bytes of its key.
    pub(super) bytes: usize,
}

impl Part {
    pub(super) fn new(settings: &Settings, along: usize) -> Part {
        Part {
            store: settings.store(Notes::Word, along),
            log: Log::default(),
            parity: 0,
            level: 0..0,
            parents: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// What has arrived since the last call is the level to expand now; says how many states it has.
    pub(super) fn next_level(&mut self) -> u64 {
        self.level.end = self.log.len;
        self.parity ^= ODD;
        self.level.end - self.level.start
    }

    /// How many states of the level are left.
    pub(super) fn left(&self) -> u64 {
        self.level.end - self.level.start
    }

    /// The next state to expand; its bytes go to `state`. Only a reduced search needs to know later that it was expanded.
    pub(super) fn next(&mut self, reduces: bool, state: &mut Vec<u8>) -> Option<u64> {
        let number = self.level.next()?;
        let id = self.log.get(number)?;
        self.store.load(id, state);
        if reduces {
            let note = self.store.note(id);
            self.store.set_note(id, note & !FRESH);
        }
        Some(number)
    }

    /// The bytes of a state, and its parent; `None` if there is none with that number.
    pub(super) fn look_up(&mut self, number: u64, state: &mut Vec<u8>) -> Option<Option<Address>> {
        let id = self.log.get(number)?;
        self.store.load(id, state);
        Some(Address::from_code(self.store.note(id)))
    }

    /// Adds a state to those that are to be inserted together.
    #[inline]
    pub(super) fn collect(&mut self, parent: u64, key: &[u8], along: &[u8]) {
        self.store.collect(key, along);
        self.parents.push(parent);
    }

    /// How many have been collected.
    pub(super) fn collected(&self) -> usize {
        self.parents.len()
    }

    /// Inserts what has been collected, and tells what became of each; `false` if there is no room for some.
    pub(super) fn insert(&mut self, mut tell: impl FnMut(Arrival)) -> bool {
        self.answers.clear();
        let answers = &mut self.answers;
        self.store
            .insert_collected(FRESH, |answer, bytes| answers.push((answer, bytes)));
        let mut fits = self.answers.len() == self.parents.len();
        for (&(answer, bytes), &parent) in self.answers.iter().zip(&self.parents) {
            let arrival = match answer {
                Insert::New(id) => {
                    self.store.set_note(id, FRESH | self.parity | parent);
                    self.log.push(id);
                    Arrival {
                        is_new: true,
                        is_later: true,
                        bytes,
                    }
                }
                Insert::Seen(id) => Arrival {
                    is_new: false,
                    is_later: is_later(self.store.note(id), self.parity),
                    bytes,
                },
                Insert::Full => {
                    fits = false;
                    continue;
                }
            };
            tell(arrival);
        }
        self.parents.clear();
        fits
    }

    /// How many states there are.
    pub(super) fn len(&self) -> u64 {
        self.log.len
    }

    /// Bytes of the store.
    pub(super) fn store_bytes(&self) -> u64 {
        self.store.bytes()
    }

    /// Bytes of the log.
    pub(super) fn log_bytes(&self) -> u64 {
        self.log.bytes()
    }

    /// Bytes that the store may use.
    pub(super) fn set_limit(&mut self, bytes: u64) {
        self.store.set_limit(bytes);
    }

    /// Why it is full.
    pub(super) fn shortage(&self) -> Shortage {
        self.store.shortage()
    }
}

/// Whether a state with that note will be expanded with the next level, whose states have that parity.
fn is_later(note: u64, parity: u64) -> bool {
    note & FRESH != 0 && note & ODD == parity
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back() {
        for of in [
            None,
            Some(Address {
                owner: 0,
                number: 0,
            }),
            Some(Address {
                owner: MOST_WORKERS as u32 - 1,
                number: PARENTS - 1,
            }),
        ] {
            assert_eq!(Address::from_code(Address::code(of)), of);
            assert_eq!(Address::from_code(Address::code(of) | FRESH | ODD), of);
        }
    }

    #[test]
    fn later_are_those_of_the_next_level_only() {
        let mut part = Part::new(&Settings::default(), 0);
        let mut told = Vec::new();
        let mut put = |part: &mut Part, states: &[u8]| {
            told.clear();
            states
                .iter()
                .for_each(|state| part.collect(Address::code(None), &[*state], &[]));
            assert!(part.insert(|arrival| told.push((arrival.is_new, arrival.is_later))));
            told.clone()
        };
        put(&mut part, &[0]);
        let mut state = Vec::new();
        for level in 0..5u8 {
            assert_eq!(part.next_level(), 1);
            // Of the level itself, before and after it is expanded; of all before; of the next.
            assert_eq!(put(&mut part, &[level]), [(false, false)]);
            assert!(part.next(true, &mut state).is_some());
            assert_eq!(state, [level]);
            for before in 0..=level {
                assert_eq!(put(&mut part, &[before]), [(false, false)]);
            }
            assert_eq!(
                put(&mut part, &[level + 1, level + 1]),
                [(true, true), (false, true)]
            );
        }
    }
}
