//! The first states of a search, kept as they are.
//!
//! How states are best cut into parts can be told only when there are some (see [`super::split`]). So the first are kept
//! whole, and each is called by its number among them. Once there are enough they are cut up like those that follow, but
//! keep their names: the search may have kept them.

use rapidhash::v3::rapidhash_v3;

/// States that are enough; few in builds for testing, so that small models come beyond.
pub(in crate::store) const ENOUGH: usize = if cfg!(debug_assertions) { 100 } else { 1 << 14 };

/// A set of states in the order in which they came, each with a note.
#[derive(Debug, Default)]
pub(in crate::store) struct Early {
    bytes: Vec<u8>,
    /// Where the states end.
    ends: Vec<usize>,
    notes: Vec<u64>,
    /// Open addressing: the numbers of states, plus one.
    index: Vec<u32>,
}

impl Early {
    pub(in crate::store) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes that all states take.
    pub(in crate::store) fn bytes(&self) -> u64 {
        self.states().map(Early::bytes_for).sum()
    }

    /// Bytes that a state takes.
    pub(in crate::store) fn bytes_for(state: &[u8]) -> u64 {
        (state.len() + size_of::<usize>() + size_of::<u64>() + 3 * size_of::<u32>()) as u64
    }

    pub(in crate::store) fn state(&self, number: usize) -> &[u8] {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.bytes[start..self.ends[number]]
    }

    pub(in crate::store) fn states(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.state(number))
    }

    pub(in crate::store) fn note(&self, number: usize) -> u64 {
        self.notes[number]
    }

    pub(in crate::store) fn set_note(&mut self, number: usize, note: u64) {
        self.notes[number] = note;
    }

    pub(in crate::store) fn update_note(
        &mut self,
        number: usize,
        mut change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        let before = self.notes[number];
        match change(before) {
            Some(note) => {
                self.notes[number] = note;
                Ok(before)
            }
            None => Err(before),
        }
    }

    /// The slot of a state, or the one where it belongs.
    fn slot(&self, state: &[u8]) -> Result<usize, usize> {
        let mask = self.index.len() - 1;
        let mut at = rapidhash_v3(state) as usize & mask;
        loop {
            match self.index[at] as usize {
                0 => return Err(at),
                known if self.state(known - 1) == state => return Ok(at),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The number of a state.
    pub(in crate::store) fn find(&self, state: &[u8]) -> Option<usize> {
        if self.index.is_empty() {
            return None;
        }
        let slot = self.slot(state).ok()?;
        Some(self.index[slot] as usize - 1)
    }

    /// Adds a state that is not there; gives its number.
    pub(in crate::store) fn add(&mut self, state: &[u8], note: u64) -> usize {
        let number = self.len();
        if 2 * number >= self.index.len() {
            self.index = vec![0; (4 * number).max(64)];
            for number in 0..number {
                self.enter(number);
            }
        }
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
        self.notes.push(note);
        self.enter(number);
        number
    }

    fn enter(&mut self, number: usize) {
        if let Err(slot) = self.slot(self.state(number)) {
            self.index[slot] = number as u32 + 1;
        }
    }
}
