//! Limits of a search, and why a search ended before it was complete.
//!
//! A limit never turns into "no errors": a search that stops, or that leaves out a state for a limit's sake,
//! carries the [`Stop`] to the verdict. Time and interruption come through a [`Monitor`], so that the searches
//! themselves read no clock.

use crate::report::text::bytes;
use std::fmt;
use std::time::Duration;

/// Bounds that the search itself watches.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Bytes for the store and the stack together.
    pub memory: u64,
    /// Length of a path.
    pub depth: u64,
    /// Number of stored states.
    pub states: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory: u64::MAX,
            depth: u64::MAX,
            states: u64::MAX,
        }
    }
}

/// Why a search is not complete.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `--memory`: the store found no room for a state.
    Memory(u64),
    /// `--time`
    Time(Duration),
    /// `--depth`: somewhere a longer path was cut off.
    Depth(u64),
    /// `--states`
    States(u64),
    /// `--store`: states were told apart by less than their values.
    Lossy,
    /// Ctrl-C.
    Interrupted,
    /// The model needs more than the checker can represent.
    Representation,
    /// Nothing was searched: the property has something that is not supported.
    Unsupported,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Memory(most) => write!(f, "memory limit of {} reached", bytes(*most)),
            Stop::Time(time) => write!(f, "time limit of {} s reached", time.as_secs_f64()),
            Stop::Depth(depth) => write!(f, "paths longer than {depth} steps were cut off"),
            Stop::States(states) => write!(f, "limit of {states} states reached"),
            Stop::Lossy => f.write_str("the store is lossy, states may have been omitted"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Representation => f.write_str("the model is too large for ample"),
            Stop::Unsupported => f.write_str("not supported"),
        }
    }
}

impl Stop {
    /// What a user can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Stop::Memory(_) => "allow more with --memory, or make the model smaller",
            Stop::Time(_) => "allow more with --time, or make the model smaller",
            Stop::Depth(_) => "leave out --depth (there is no bound without it), or raise it",
            Stop::States(_) => "leave out --states, or raise it",
            Stop::Lossy => {
                "use --store exact, or accept the probability with --accept-probabilistic"
            }
            Stop::Interrupted => "run it again and let it finish",
            Stop::Representation => "make the model smaller",
            Stop::Unsupported => "",
        }
    }
}

/// How far a search has come.
#[derive(Copy, Clone, Debug, Default)]
pub struct Progress {
    /// Stored states.
    pub states: u64,
    /// Transitions so far.
    pub transitions: u64,
    /// Length of the current path.
    pub depth: u64,
    /// Bytes of the store and the stack.
    pub bytes: u64,
}

/// Is told the progress of the search at intervals, and may stop it.
pub trait Monitor {
    /// A reason to stop now, if there is one.
    fn tick(&mut self, progress: &Progress) -> Option<Stop>;

    /// Bytes that all workers of the search hold besides the store, if this one holds so many.
    fn held(&mut self, own: u64) -> u64 {
        own
    }
}

/// A monitor that never stops anything.
pub struct Unwatched;

impl Monitor for Unwatched {
    fn tick(&mut self, _: &Progress) -> Option<Stop> {
        None
    }
}
