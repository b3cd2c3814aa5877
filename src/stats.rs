//! Figures of a search, counted the way SPIN counts.
//!
//! *Stored* are the states put into the store. *Matched* are arrivals at a state that was already there. A
//! transition is an arrival, the start included, so `transitions = stored + matched`. An *atomic step* is a
//! move after which its process keeps control: it arrives nowhere, so it is counted apart. When the process
//! then cannot go on, control is lost, and the state where that happens is an arrival like any other: it is
//! stored or matched.

/// Figures of a search.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// States stored.
    pub stored: u64,
    /// Arrivals at a stored state.
    pub matched: u64,
    /// Moves inside `atomic` sequences.
    pub atomic_steps: u64,
    /// Moves inside long `atomic` sequences that led to an inner state already seen from the same start, and
    /// were not followed again. When this is not 0, SPIN's figures for matched states and atomic steps are
    /// higher, or SPIN does not terminate.
    pub atomic_repeats: u64,
    /// Stored states at which another worker will arrive and take them for matched; 0 when the search is over.
    pub(crate) early: u64,
    /// States in which only an ample set of moves was made.
    pub reduced: u64,
    /// Longest path, in moves.
    pub depth: u64,
    /// Longest state vector, in bytes.
    pub vector_bytes: u64,
    /// Violations met, those that were not reported for being the same included.
    pub errors: u64,
    /// Bytes of the store at the end.
    pub store_bytes: u64,
    /// Most bytes the stack or queue had.
    pub stack_bytes: u64,
    /// Threads that took part.
    pub workers: u32,
}

impl Stats {
    /// Stored and matched together.
    pub fn transitions(&self) -> u64 {
        self.stored + self.matched
    }

    /// Adds up what can be added up; of the rest, takes the larger figure.
    pub fn add(&mut self, other: &Stats) {
        self.stored += other.stored;
        self.matched += other.matched;
        self.early += other.early;
        self.atomic_steps += other.atomic_steps;
        self.atomic_repeats += other.atomic_repeats;
        self.reduced += other.reduced;
        self.errors += other.errors;
        self.depth = self.depth.max(other.depth);
        self.vector_bytes = self.vector_bytes.max(other.vector_bytes);
        self.store_bytes = self.store_bytes.max(other.store_bytes);
        self.stack_bytes = self.stack_bytes.max(other.stack_bytes);
    }

    /// Bytes in all.
    pub fn total_bytes(&self) -> u64 {
        self.store_bytes + self.stack_bytes
    }
}
