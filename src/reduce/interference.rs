//! Which futures interfere with a place: worked out once, as far as it is the same in all states.
//!
//! There are as many places and futures as statements, so a matrix of them all would be quadratic. But a program has few
//! *kinds* of places: those whose steps touch the same things share a row. (Futures that are equal are one from the start, see
//! [`super::facts`].) Where there are many kinds as well, nothing is worked out beforehand, and each pair is compared when
//! it is asked for: slower, state by state, but the same answer.

use super::at_channels::{AtChannels, at_channels};
use super::bits::{Matrix, Row};
use super::facts::{Facts, FutureId, PlaceId};
use super::mutual::Mutual;
use super::reason::{minds, minds_under_f, through_memory, through_memory_under_f};
use crate::limits::Cancellation;
use crate::machine::{FixedChannel, fixed_channels};
use promela_lite::program::Program;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// So many pairs are compared beforehand: some tenths of a second.
const MAX_PAIRS: usize = 1 << 22;

/// Compares places with futures.
#[derive(Debug)]
pub(super) struct Interference {
    rules: Rules,
    /// The row of each place.
    rows: Vec<u32>,
    known: Option<Known>,
}

/// What was worked out.
#[derive(Debug)]
struct Known {
    /// The row of a kind of place has the futures that interfere whatever the state is.
    certain: Matrix,
    /// The row of a kind of place has the futures that may interfere through channels, depending on the state.
    unclear: Matrix,
}

/// What decides about a pair.
#[derive(Debug)]
pub(super) struct Rules {
    facts: Arc<Facts>,
    /// Under condition F.
    mutual: Option<Arc<Mutual>>,
    fixed: FxHashMap<u32, FixedChannel>,
    sorted: bool,
    /// Whether a trace watches channel operations.
    traced: bool,
    has_trace: bool,
}

impl Rules {
    fn at_channels(&self, place: usize, future: usize) -> AtChannels {
        let (now, future) = (&self.facts.now[place], &self.facts.futures[future]);
        let minds = match self.mutual {
            Some(_) => minds_under_f,
            None => minds,
        };
        at_channels(now, future, &self.fixed, |u, t| minds(u, t, self.sorted))
    }

    fn is_unclear(&self, place: usize, future: usize) -> bool {
        match self.at_channels(place, future) {
            AtChannels::Apart => self.traced && !self.facts.now[place].chans.is_empty(),
            AtChannels::Depends => true,
            AtChannels::Interfere => false,
        }
    }

    fn is_certain(&self, place: usize, future: usize) -> bool {
        if self.at_channels(place, future) == AtChannels::Interfere {
            return true;
        }
        let (now, own) = (&self.facts.now[place], self.facts.proctype[place]);
        let (place, id) = (PlaceId(place as u32), FutureId(future as u32));
        let future = &self.facts.futures[future];
        match &self.mutual {
            Some(mutual) => {
                // What a trace watches does not depend on each other in the sense of F.
                self.has_trace
                    || mutual.same_part(place, id)
                    || through_memory_under_f(now, own, future, own).is_some()
            }
            None => through_memory(now, own, future, own).is_some(),
        }
    }
}

impl Interference {
    /// Prepares for a program; `traced`: a trace watches channel operations. `None` if that is given up.
    pub(super) fn new(
        program: &Program,
        facts: &Arc<Facts>,
        mutual: Option<&Arc<Mutual>>,
        traced: bool,
        cancellation: &Cancellation,
    ) -> Option<Interference> {
        let rules = Rules {
            facts: Arc::clone(facts),
            mutual: mutual.map(Arc::clone),
            fixed: fixed_channels(program),
            sorted: program.sends.iter().any(|s| s.sorted),
            traced,
            has_trace: program.trace.is_some(),
        };
        let mut kinds = FxHashMap::default();
        // A place of each kind.
        let mut examples = Vec::new();
        let rows = (0..facts.now.len()).map(|place| {
            let part = mutual.map(|mutual| mutual.parts_of(PlaceId(place as u32)));
            let kind = (&facts.now[place], facts.proctype[place], part);
            *kinds.entry(kind).or_insert_with(|| {
                examples.push(place);
                examples.len() as u32 - 1
            })
        });
        let rows = rows.collect();
        let columns = facts.futures.len();
        let known = match examples.len().saturating_mul(columns) <= MAX_PAIRS {
            true => {
                let matrix = |holds: fn(&Rules, usize, usize) -> bool| {
                    let holds = |row, future| holds(&rules, examples[row], future);
                    let go_on = || cancellation.poll().is_none();
                    Matrix::new(examples.len(), columns, holds, go_on)
                };
                Some(Known {
                    certain: matrix(Rules::is_certain)?,
                    unclear: matrix(Rules::is_unclear)?,
                })
            }
            false => None,
        };
        Some(Interference { rules, rows, known })
    }

    /// What may be done next at a place, to be compared with futures.
    #[inline(always)]
    pub(super) fn of(&self, place: PlaceId) -> AtPlace<'_> {
        let place = place.0 as usize;
        match &self.known {
            Some(known) => {
                let row = self.rows[place] as usize;
                AtPlace::Known {
                    certain: known.certain.row(row),
                    unclear: known.unclear.row(row),
                }
            }
            None => AtPlace::Asked {
                rules: &self.rules,
                place,
            },
        }
    }

    /// For each place the futures that certainly interfere, as the bits of a word, where there are so few futures.
    pub(super) fn words(&self) -> Option<Arc<[u64]>> {
        let certain = &self.known.as_ref()?.certain;
        let word = |&row: &u32| certain.word(row as usize, 0);
        (certain.words() == 1).then(|| self.rows.iter().map(word).collect())
    }

    /// How many words the futures take that certainly interfere with a place; 0 where that was not worked out.
    pub(super) fn words_per_place(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.certain.words())
    }

    /// One of these words.
    pub(super) fn word(&self, place: PlaceId, index: usize) -> u64 {
        let row = self.rows[place.0 as usize] as usize;
        let known = self.known.as_ref();
        known.map_or(0, |known| known.certain.word(row, index))
    }

    /// The same without anything worked out, for tests.
    #[cfg(test)]
    pub(super) fn asked(mut self) -> Interference {
        self.known = None;
        self
    }
}

/// A place that is compared with futures.
pub(super) enum AtPlace<'i> {
    /// By looking it up.
    Known { certain: Row<'i>, unclear: Row<'i> },
    /// One by one.
    Asked { rules: &'i Rules, place: usize },
}

impl AtPlace<'_> {
    /// Whether a future interferes, whatever the state is.
    #[inline]
    pub(super) fn certainly(&self, future: FutureId) -> bool {
        let future = future.0 as usize;
        match *self {
            AtPlace::Known { certain, .. } => certain.contains(future),
            AtPlace::Asked { rules, place } => rules.is_certain(place, future),
        }
    }

    /// Whether that depends on the state.
    #[inline]
    pub(super) fn perhaps(&self, future: FutureId) -> bool {
        let future = future.0 as usize;
        match *self {
            AtPlace::Known { unclear, .. } => unclear.contains(future),
            AtPlace::Asked { rules, place } => rules.is_unclear(place, future),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::traced::Traced;
    use super::*;
    use crate::check::Model;

    /// What is asked for is what was worked out, and a place is as any other of its kind.
    #[test]
    fn pairs_are_judged_alike_however_they_are_looked_up() {
        for text in [
            "chan c = [1] of { byte }; byte x, y; active [2] proctype P() { byte z; do :: c!x; x++ :: c?z; y = z :: y > 3 -> break od }
             active proctype Q() { atomic { x = 1; c?y; c!2 }; x = 3; x = 4; x = 5; if :: x == 2 :: timeout fi }",
            "chan c = [0] of { byte }; byte x; proctype P(chan d) { d!1; x = 1; x = 3; x = 4 } init { run P(c); c?x; x = 2; assert(_nr_pr > 0) }",
        ] {
            let program = Model::from_source(text).unwrap().program;
            let facts = Arc::new(Facts::new(&program, true, &Cancellation::default()).unwrap());
            let traced = !Traced::new(&program).is_empty();
            let make = || {
                Interference::new(&program, &facts, None, traced, &Cancellation::default())
                    .unwrap()
            };
            let (known, asked) = (make(), make().asked());
            assert!(known.rows.iter().max() < Some(&(known.rows.len() as u32 - 1)));
            for place in (0..facts.now.len()).map(|p| PlaceId(p as u32)) {
                let (known, asked) = (known.of(place), asked.of(place));
                for future in (0..facts.futures.len()).map(|f| FutureId(f as u32)) {
                    assert_eq!(known.certainly(future), asked.certainly(future));
                    assert_eq!(known.perhaps(future), asked.perhaps(future));
                }
            }
        }
    }
}
