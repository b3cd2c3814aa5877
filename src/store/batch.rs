//! Many states to be inserted at once.

use super::Insert;

/// States, and what the store said to them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Keys, each followed by its extra bytes.
    bytes: Vec<u8>,
    /// Where each key and its extra bytes end.
    ends: Vec<(usize, usize)>,
    /// Hashes of the keys.
    pub(super) hashes: Vec<u64>,
    pub(super) answers: Vec<Insert>,
}

impl Batch {
    /// Takes all states out.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.hashes.clear();
        self.answers.clear();
    }

    /// Adds a state: the hash and the bytes of its key, and the two parts of its extra bytes.
    pub(super) fn push(&mut self, hash: u64, key: &[u8], along: &[u8], parent: &[u8]) {
        self.hashes.push(hash);
        self.bytes.extend_from_slice(key);
        let key_end = self.bytes.len();
        self.bytes.extend_from_slice(along);
        self.bytes.extend_from_slice(parent);
        self.ends.push((key_end, self.bytes.len()));
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all states.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Key and extra bytes of a state.
    pub fn get(&self, index: usize) -> (&[u8], &[u8]) {
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1].1
        };
        let (key_end, end) = self.ends[index];
        (&self.bytes[start..key_end], &self.bytes[key_end..end])
    }

    /// One for each state that the store looked at; fewer than there are states if it became full.
    pub fn answers(&self) -> &[Insert] {
        &self.answers
    }
}
