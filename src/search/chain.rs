//! Cycles inside `atomic` sequences.
//!
//! A state in the middle of an `atomic` sequence is not stored, so the store cannot tell that a sequence goes
//! round in circles; SPIN goes round until it hits its depth bound. Nor can the store tell that two branches of
//! a sequence meet again, and following both doubles the work at every such meeting.
//!
//! Therefore the inner states of a sequence that has become long are remembered, in a set that belongs to the
//! stored state the sequence started from and dies with its expansion. An inner state seen before from the same
//! start is not followed again: everything that can be reached through it has been reached from that start, or
//! will be when the search returns to the place where it is being expanded. The set is per start, not global,
//! so that every stored state keeps all its successors; searches for cycles depend on that.
//!
//! Short sequences, which is nearly all of them, pay nothing, and are counted exactly as SPIN counts them. A
//! sequence is long when its current path has [`LONG_PATH`] inner states, or when [`MANY_STEPS`] atomic steps
//! were made without meeting a new stored state.

use crate::machine::Pid;
use std::collections::HashSet;

const LONG_PATH: u32 = 64;
const MANY_STEPS: u32 = 4096;

/// The sets of the sequences that are long, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Chains {
    long: Vec<Chain>,
    /// Atomic steps since a stored state was last entered.
    steps: u32,
}

#[derive(Debug)]
struct Chain {
    /// Index of the frame of the stored state where it started.
    start: usize,
    seen: HashSet<Box<[u8]>>,
    bytes: u64,
}

impl Chains {
    /// A stored state is entered: whatever happens, there is progress.
    pub(crate) fn progress(&mut self) {
        self.steps = 0;
    }

    /// Whether the inner state reached from the frame at `start` by `depth` atomic steps is to be followed.
    pub(crate) fn follow(&mut self, start: usize, depth: u32, state: &[u8], control: Pid) -> bool {
        self.steps += 1;
        let known = self.long.last().is_some_and(|c| c.start == start);
        if !known {
            if depth < LONG_PATH && self.steps < MANY_STEPS {
                return true;
            }
            self.long.push(Chain {
                start,
                seen: HashSet::new(),
                bytes: 0,
            });
        }
        let last = self.long.len() - 1;
        let chain = &mut self.long[last];
        let mut key = Vec::with_capacity(state.len() + 2);
        key.extend_from_slice(state);
        key.extend_from_slice(&control.0.to_le_bytes());
        chain.bytes += key.len() as u64 + 2 * size_of::<Box<[u8]>>() as u64;
        chain.seen.insert(key.into_boxed_slice())
    }

    /// The frame at `index` is left for good.
    pub(crate) fn left(&mut self, index: usize) {
        if self.long.last().is_some_and(|c| c.start == index) {
            self.long.pop();
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.long.iter().map(|c| c.bytes).sum()
    }
}
