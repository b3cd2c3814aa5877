//! What searches note with a stored state: one word, whose bits each search gives a meaning of its own.
//!
//! - [`mark`], one byte, a sweep: closed, open, or the worker on whose stack the state waits.
//! - [`nested`], four bytes, accepting cycles by one worker: two bits of colour; then the depth on the path, or rank, tie and
//!   decision.
//! - [`shared`], four bytes, accepting cycles by several workers: colours and flags, one bit per worker on whose path the state
//!   lies, decision; the lowest byte is the sweep's mark.
//! - [`component`], four bytes, components under fairness: number, place in the component that is looked into, or left.
//! - [`choice`], four bytes, ample sets chosen beforehand: not entered, on the path, or decision.
//! - Searches breadth first note the state that a state was first reached from, eight bytes.
//!
//! A state that has not been noted anything with has 0, but for a sweep's [`Mark`](mark::Mark).

pub(super) mod choice;
pub(super) mod component;
pub(super) mod mark;
pub(super) mod nested;
pub(super) mod shared;
