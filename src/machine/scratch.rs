//! What the machine needs besides the program and the state.

use super::areas::{Area, Areas};
use super::channel::Message;
use super::meet::Waiting;
use super::output::Output;
use super::repetition::LongRun;
use super::tables::{Channel, Tables};
use super::{Fault, FaultKind, Pid};
use promela_lite::source::Span;

/// `enabled()` inside a guard that `enabled()` asks for: deeper than this it is false.
pub(super) const MAX_NESTING: u8 = 16;

/// What the machine needs besides the state and the program, kept to avoid allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) tables: Tables,
    /// Operands of the interpreter.
    pub(super) stack: Vec<i32>,
    /// First free entry of the stack.
    pub(super) sp: usize,
    /// Value of `timeout`.
    pub(super) timeout: bool,
    /// The message that a send delivers.
    pub(super) message: Message,
    /// Whether a receive of a `d_step` is being asked.
    pub(super) receiving: bool,
    /// Who waits for a rendezvous in the state at hand.
    pub(super) waiting: Waiting,
    /// Channels that were looked at.
    pub(super) touched: Areas,
    /// A violation that does not keep the step from being completed.
    pub(super) violation: Option<Fault>,
    pub(super) output: Output,
    /// Channels that initialising code has made so far.
    pub(super) channels: usize,
    /// How deep questions of `enabled()` are nested.
    pub(super) nesting: u8,
    /// Watches code that takes long.
    pub(super) long_run: LongRun,
}

impl Scratch {
    pub(super) fn new(tables: Tables) -> Scratch {
        Scratch {
            tables,
            ..Scratch::default()
        }
    }

    /// Notes that a channel is looked at.
    #[inline(always)]
    pub(super) fn touch(&mut self, channel: Channel) {
        self.touched = self.touched.and(Area::channel(channel.id).into());
    }

    /// Remembers the first violation of a step that goes on all the same.
    pub(super) fn violate(&mut self, kind: FaultKind, span: Span) {
        self.violation.get_or_insert(Fault { kind, span });
    }

    pub(super) fn push(&mut self, value: i32) {
        self.stack[self.sp] = value;
        self.sp += 1;
    }

    pub(super) fn pop(&mut self) -> i32 {
        self.sp -= 1;
        self.stack[self.sp]
    }
}

/// Who executes: its pid and where its locals start.
#[derive(Copy, Clone, Debug)]
pub(super) struct Who {
    pub(super) pid: Pid,
    pub(super) locals: usize,
}

impl Who {
    /// Code that belongs to no process: properties, initialisers of globals.
    pub(super) const NOBODY: Who = Who {
        pid: Pid(0),
        locals: 0,
    };
}
