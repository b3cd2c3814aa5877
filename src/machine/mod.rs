//! The machine: the one source of truth of Promela's semantics.
//!
//! A state is a byte vector; [`Machine::moves`] lists what can happen in it and [`Machine::apply`] makes it
//! happen. Nothing here knows how states are searched or stored.

use promela_lite::program::EdgeId;
use promela_lite::source::Span;

/// A process instance: its `_pid`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pid(pub u16);

/// One thing that can happen: a step of a process, with its partner in a rendezvous.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Who moves (the sender of a rendezvous).
    pub pid: Pid,
    /// Which step.
    pub edge: EdgeId,
    /// The receiver of a rendezvous and its step.
    pub partner: Option<(Pid, EdgeId)>,
}

/// What happened when a move was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The process that has exclusive control in the successor state (inside `atomic`), if one has.
    pub control: Option<Pid>,
}

/// A violation or an error of the model found while a move was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The offending source.
    pub span: Span,
}

/// Kinds of [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FaultKind {
    Assertion,
    IndexOutOfRange { index: i32, len: u32 },
    DivisionByZero,
    ShiftOutOfRange { distance: i32 },
    UninitialisedChannel,
    BadChannel { id: i32 },
    MessageShape { expected: u32, found: u32 },
    TooManyProcesses,
    TooManyChannels,
    VectorTooLarge,
    BlockedInDStep,
    BadPid { pid: i32 },
    Nondeterminism,
    Trace,
}
