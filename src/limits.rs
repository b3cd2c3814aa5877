//! Limits of a search, and why a search ended before it was complete.
//!
//! A limit never turns into "no errors": a search that stops, or that leaves out a state for a limit's sake,
//! carries the [`Stop`] to the verdict. Time and interruption come through a [`Monitor`], so that the searches
//! themselves read no clock. Work that no search looks into (a long step of the machine, the translation of a formula, the
//! analysis of a program) has a [`Cancellation`] to ask: the one place where it is decided that time is over.

use crate::report::text::bytes;
use promela_lite::source::Span;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    /// The system refused memory, though the limit would have allowed it.
    OutOfMemory,
    /// `--spill`: the system refused room for a file.
    DiskFull,
    /// `--time`
    Time(Duration),
    /// `--depth`: somewhere a longer path was cut off.
    Depth(u64),
    /// `--call-depth`: somewhere a procedure that can call itself was not called, since calls were expanded only so deep.
    Calls {
        /// How deep.
        depth: u32,
        /// One of the calls.
        at: Span,
    },
    /// `--contexts`
    Contexts(usize),
    /// `--bits`: values that need more were left out.
    Bits(usize),
    /// `--states`
    States(u64),
    /// `--store`: states were told apart by less than their values.
    Lossy,
    /// Ctrl-C.
    Interrupted,
    /// A host of a cluster was lost.
    Host,
    /// The model needs more than the checker can represent.
    Representation,
    /// Nothing was searched: the property has something that is not supported.
    Unsupported,
    /// `--resume`: the file was changed after it had been looked at.
    BadCheckpoint,
}

impl Stop {
    /// A name for programs, which stays the same.
    pub fn code(&self) -> &'static str {
        match self {
            Stop::Memory(_) => "memory-limit",
            Stop::OutOfMemory => "out-of-memory",
            Stop::DiskFull => "disk-full",
            Stop::Time(_) => "time-limit",
            Stop::Depth(_) => "depth-limit",
            Stop::Calls { .. } => "call-depth",
            Stop::Contexts(_) => "contexts",
            Stop::Bits(_) => "bits",
            Stop::States(_) => "states-limit",
            Stop::Lossy => "lossy-store",
            Stop::Interrupted => "interrupted",
            Stop::Representation => "representation",
            Stop::Unsupported => "unsupported",
            Stop::Host => "host-lost",
            Stop::BadCheckpoint => "bad-checkpoint",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Memory(most) => write!(f, "memory limit of {} reached", bytes(*most)),
            Stop::OutOfMemory => f.write_str("the system has no more memory"),
            Stop::DiskFull => f.write_str("no room is left for the files of --spill"),
            Stop::Time(time) => write!(f, "time limit of {} s reached", time.as_secs_f64()),
            Stop::Depth(depth) => write!(f, "paths longer than {depth} steps were cut off"),
            Stop::Calls { depth, .. } => {
                write!(f, "calls nested deeper than {depth} were not followed")
            }
            Stop::Contexts(1) => f.write_str("runs with more than one context were not explored"),
            Stop::Contexts(bound) => {
                write!(f, "runs with more than {bound} contexts were not explored")
            }
            Stop::Bits(bits) => write!(
                f,
                "runs in which a value needs more than {bits} bits were left out"
            ),
            Stop::States(states) => write!(f, "limit of {states} states reached"),
            Stop::Lossy => f.write_str("the store is lossy, states may have been omitted"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Host => f.write_str("a host was lost"),
            Stop::Representation => f.write_str("the model is too large for ample"),
            Stop::Unsupported => f.write_str("not supported"),
            Stop::BadCheckpoint => f.write_str("the checkpoint could not be read"),
        }
    }
}

impl Stop {
    /// What a user can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Stop::Memory(_) => "allow more with --memory, or make the model smaller",
            Stop::OutOfMemory => {
                "set --memory below what the system gives, try --store compressed, or make the model smaller"
            }
            Stop::DiskFull => "give --spill a directory with more room, or make the model smaller",
            Stop::Time(_) => "allow more with --time, or make the model smaller",
            Stop::Depth(_) => "leave out --depth (there is no bound without it), or raise it",
            Stop::Calls { .. } => {
                "follow deeper calls with --call-depth; no depth suffices where recursion has no end"
            }
            Stop::Contexts(_) => "allow more with --contexts; most errors need few",
            Stop::Bits(_) => "leave out --bits, or raise it",
            Stop::States(_) => "leave out --states, or raise it",
            Stop::Lossy => {
                "use --store exact, or accept the probability with --accept-probabilistic"
            }
            Stop::Interrupted => "run it again and let it finish",
            Stop::Host => "see what became of that host, and run it again",
            Stop::Representation => "make the model smaller",
            Stop::Unsupported => "",
            Stop::BadCheckpoint => "do not change the file while it is read",
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

/// How far an exploration by contexts has come.
#[derive(Copy, Clone, Debug, Default)]
pub struct ContextProgress {
    /// Contexts that are finished.
    pub contexts: usize,
    /// View tuples so far.
    pub tuples: usize,
    /// BDD nodes.
    pub nodes: usize,
}

/// Is told the progress of the search at intervals, and may stop it.
pub trait Monitor {
    /// A reason to stop now, if there is one.
    fn tick(&mut self, progress: &Progress) -> Option<Stop>;

    /// Another context is finished, in an exploration by contexts.
    fn context(&mut self, _: &ContextProgress) {}

    /// Bytes that all workers of the search hold besides the store, if this one holds so many.
    fn held(&mut self, own: u64) -> u64 {
        own
    }

    /// Whether this is the monitor of the worker that leads the search.
    fn leads(&self) -> bool {
        true
    }

    /// What can be asked between two ticks, from any thread, whether to stop.
    fn cancellation(&self) -> Cancellation {
        Cancellation::default()
    }
}

/// Says when work is to be given up: its time is over, or somebody asks for it. By default, never.
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    limit: Option<(Instant, Duration)>,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Cancellation {
    /// Work is to be given up when the flag is set.
    pub fn on(interrupt: &Arc<AtomicBool>) -> Cancellation {
        Cancellation {
            limit: None,
            interrupt: Some(Arc::clone(interrupt)),
        }
    }

    /// The same, and so much time after `start`.
    pub fn after(self, start: Instant, time: Option<Duration>) -> Cancellation {
        Cancellation {
            limit: time.map(|time| (start, time)),
            ..self
        }
    }

    /// Why to stop now, if there is a reason.
    pub fn poll(&self) -> Option<Stop> {
        if UNHURRIED.get() {
            return None;
        }
        let interrupted = self.interrupt.as_ref();
        if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Stop::Interrupted);
        }
        let (start, time) = self.limit?;
        (start.elapsed() >= time).then_some(Stop::Time(time))
    }
}

thread_local! {
    static UNHURRIED: Cell<bool> = const { Cell::new(false) };
}

/// Does something to its end, whatever the limits of this thread say: what has been found is not lost.
pub(crate) fn unhurried<R>(work: impl FnOnce() -> R) -> R {
    let before = UNHURRIED.replace(true);
    let result = work();
    UNHURRIED.set(before);
    result
}

/// A monitor that never stops anything.
pub struct Unwatched;

impl Monitor for Unwatched {
    fn tick(&mut self, _: &Progress) -> Option<Stop> {
        None
    }
}
