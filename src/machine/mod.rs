//! The machine: the one source of truth of Promela's semantics.
//!
//! A state is a byte vector; [`Machine::moves`] lists what can happen in it and [`Machine::apply`] makes it
//! happen. Nothing here knows how states are searched or stored.
//!
//! # Which states to store
//!
//! A search that wants SPIN's figures has to treat control (the exclusive right to move inside `atomic`) as SPIN
//! does. [`Step::control`] of the step that led to a state goes into [`Machine::moves`] of that state:
//!
//! * control is `None`: the state is stored, or matched if it is known already, before its moves are asked for;
//! * control is a process: the state is *not* looked up. If the process can move, [`MoveInfo::control_lost`] is
//!   false, only its moves are listed, and the state is never stored: it is an atomic step on the way to another.
//!   If it cannot, `control_lost` is true: now the state is stored or matched like any other, and if it is new the
//!   moves of all processes, which are those listed, are explored;
//! * states inside a `d_step` or between the halves of a rendezvous do not appear at all: each is one move.
//!
//! SPIN counts `states, stored`: states that were new; `states, matched`: lookups that found the state;
//! `transitions` is the sum of both, so the initial state counts as one; `atomic steps`: moves made while or before
//! control was held, that is applied moves whose [`Step::control`] is a process (a rendezvous counts once). A blocked
//! atomic chain ends in an ordinary lookup. Only [`Machine::stored_len`] bytes of a state belong to the stored state;
//! `hidden` variables behind them travel along with the search.
//!
//! A state without moves (and with control `None` or lost) is an end state; it is a deadlock unless
//! [`Machine::is_valid_end`].
//!
//! # Where the semantics differs from SPIN 6.5.2
//!
//! * `run` beyond the limit is a fault (the limit is 65535, not 255).
//! * `else` is decided by what is executable in its location before it, never by another process' moves.
//! * After one rendezvous send of an escape has succeeded and a later one of the same escape has failed, SPIN also
//!   tries what the escape covers; here the escape stays taken.
//! * A `trace` looks at the message that was sent or received, also for `!!` and `??`; `notrace` asks for no
//!   completion at an end state.
//! * A single field of type `bit` in a message is cut to one bit, as in all other messages.

mod apply;
mod areas;
mod cache;
mod channel;
mod compiled;
mod direct;
mod enabled;
mod exclusive;
mod interpret;
mod layout;
mod look;
mod meet;
mod memory;
mod ops;
mod output;
mod rare;
mod repetition;
mod run;
mod scratch;
mod start;
mod tables;
mod trace;
mod tree;
#[cfg(test)]
mod twins;
mod view;

pub use look::{Fill, Look};
pub(crate) use ops::{FixedChannel, fixed_channels};
pub use run::{MoveResult, Run};
pub use view::{CallFrame, ChannelView, ProcessView, StateView, Value};

use crate::limits::{Cancellation, Stop};
use cache::Cache;
use compiled::{CompiledModel, Form};
use promela_lite::code::Code;
use promela_lite::program::{EdgeId, Loc, ProctypeId, Program};
use promela_lite::source::Span;
use scratch::{Scratch, Who};
use std::sync::Arc;
use tables::Tables;

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

/// How a list of moves came about.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveInfo {
    /// Nothing was executable until `timeout` became true; pass it on to [`Machine::apply`].
    pub timeout: bool,
    /// The process that had control cannot move, so the moves are those of all processes.
    pub control_lost: bool,
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

/// The result of something that a fault may end; the fault is boxed since it is rare and the result is not.
type Fallible<T> = Result<T, Box<Fault>>;

#[cold]
fn fault(kind: FaultKind, span: Span) -> Box<Fault> {
    Box::new(Fault { kind, span })
}

/// Kinds of [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FaultKind {
    Assertion,
    IndexOutOfRange {
        index: i32,
        len: u32,
    },
    DivisionByZero,
    ShiftOutOfRange {
        distance: i32,
    },
    UninitialisedChannel,
    BadChannel {
        id: i32,
    },
    MessageShape {
        expected: u32,
        found: u32,
    },
    PolledRendezvous,
    RendezvousInDStep,
    TooManyProcesses,
    TooManyChannels,
    VectorTooLarge,
    BlockedInDStep,
    BadPid {
        pid: i32,
    },
    BadPriority {
        priority: i32,
    },
    Nondeterminism,
    Trace,
    NotExclusive {
        recv: bool,
    },
    /// A `d_step` comes back to where it was, in the same state.
    EndlessDStep {
        /// An assertion, or a trace automaton, was violated in it before.
        violated: bool,
    },
    /// No fault of the model: the call was not expanded. What it would have led to is not known.
    CallTooDeep {
        depth: u32,
    },
    /// No fault of the model: the step was given up for the sake of a limit. What it would have led to is not known.
    Stopped(Stop),
}

impl FaultKind {
    /// Whether the move is complete in spite of it, so that a search for all errors can continue after it.
    pub fn leaves_successor(&self) -> bool {
        matches!(
            self,
            FaultKind::Assertion | FaultKind::Trace | FaultKind::Nondeterminism
        )
    }
}

/// Executes a program. A clone shares what was worked out about the program and has buffers of its own: one per
/// thread.
#[derive(Clone, Debug)]
pub struct Machine {
    model: Arc<CompiledModel>,
    scratch: Scratch,
    cache: Cache,
    step: Step,
}

impl Machine {
    /// Prepares a program for execution.
    pub fn new(program: Arc<Program>) -> Machine {
        Machine::in_form(program, Form::Quick, 0)
    }

    /// The same, for states that begin with so many bytes of the layer around the machine: they are zero at first, and go
    /// from a state to its successors as they are.
    pub fn behind(program: Arc<Program>, front: usize) -> Machine {
        Machine::in_form(program, Form::Quick, front)
    }

    /// The slow twin: it leaves everything to the interpreter, and does the same.
    pub fn interpreting(program: Arc<Program>) -> Machine {
        Machine::in_form(program, Form::Plain, 0)
    }

    fn in_form(program: Arc<Program>, form: Form, front: usize) -> Machine {
        let model = CompiledModel::new(program, form, front);
        let scratch = Scratch::new(Tables::new(&model.layout));
        Machine {
            model: Arc::new(model),
            scratch,
            cache: Cache::default(),
            step: Step { control: None },
        }
    }

    /// Steps that take long are given up when that says so.
    pub fn set_cancellation(&mut self, cancellation: &Cancellation) {
        self.scratch.long_run.cancellation = cancellation.clone();
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.model.program
    }

    /// The program, to be kept.
    pub fn shared_program(&self) -> &Arc<Program> {
        &self.model.program
    }

    /// Puts the initial state into `out`.
    pub fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let Machine { model, scratch, .. } = self;
        scratch.tables.begin(&model.layout, out).map_err(|f| *f)?;
        if let Some(trace) = &model.program.trace {
            model.layout.set_trace(out, trace.graph.start);
        }
        start::initialise(model, scratch, out, Who::NOBODY, model.program.init, 0)
            .map_err(|f| *f)?;
        for &proctype in &model.program.active {
            let span = model.program.proctypes[proctype.index()].span;
            start::start_active(model, scratch, out, proctype, span).map_err(|f| *f)?;
        }
        Ok(())
    }

    /// Fills `out` with all moves that are possible in `state`, in SPIN's order of exploration: youngest process
    /// first, its edges in order. While `control` names a process that can move, only its moves are listed. If
    /// nothing is executable, `timeout` is tried.
    ///
    /// When a guard fails (an index out of range, say), the first failure is returned with the step it belongs to;
    /// `out` then holds the moves of the other steps, to be applied without `timeout`.
    pub fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<Move>,
    ) -> Result<MoveInfo, (Move, Fault)> {
        let own = (&mut self.scratch, &mut self.cache);
        enabled::moves(&self.model, own, state, control, out)
    }

    /// Puts the state that `mv` leads to into `next`. `timeout` is [`MoveInfo::timeout`] of the list the move is
    /// from.
    ///
    /// After a fault that [leaves the successor](FaultKind::leaves_successor), `next` is complete and
    /// [`Machine::last_step`] says what the result would have been.
    #[inline]
    pub fn apply(
        &mut self,
        state: &[u8],
        mv: Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Fault> {
        match apply::apply(&self.model, &mut self.scratch, state, mv, timeout, next) {
            Ok(step) => self.step = step,
            Err(fault) => return Err(*fault),
        }
        if self.scratch.violation.is_none() {
            return Ok(self.step);
        }
        self.violation()
    }

    #[cold]
    fn violation(&mut self) -> Result<Step, Fault> {
        self.scratch.violation.take().map_or(Ok(self.step), Err)
    }

    /// What the one who made the last move applied is an instance of.
    #[inline]
    pub fn mover(&self, pid: Pid) -> ProctypeId {
        self.scratch.tables.process(pid).proctype
    }

    /// The step that the last [`Machine::apply`] made.
    pub fn last_step(&self) -> Step {
        self.step
    }

    /// Number of bytes that belong to the stored state; `hidden` variables follow.
    pub fn stored_len(&self, state: &[u8]) -> usize {
        self.model.layout.stored_len(state)
    }

    /// Whether resting in `state` is no deadlock: every process is at its end or at an `end` label, and a `trace`
    /// is complete.
    pub fn is_valid_end(&self, state: &[u8]) -> bool {
        let layout = &self.model.layout;
        let program = &self.model.program;
        if layout.nr_processes(state) == 0 {
            return true;
        }
        let at_end = layout.walk(state).all(|process| {
            let graph = &program.proctypes[process.proctype.index()].graph;
            graph.locations[layout.location(state, process).index()].end
        });
        let complete = match (&program.trace, layout.trace(state)) {
            (Some(trace), Some(loc)) if !trace.negated => {
                trace.graph.locations[loc.index()].end || trace::is_end(trace, loc)
            }
            _ => true,
        };
        at_end && complete
    }

    /// Whether all channels are empty: what SPIN's option `-q` asks of an end state besides.
    pub fn all_channels_empty(&self, state: &[u8]) -> bool {
        let layout = &self.model.layout;
        let mut tables = Tables::new(layout);
        tables.follow(layout, state);
        tables
            .channels()
            .iter()
            .all(|&channel| channel::len(state, channel) == 0)
    }

    /// Number of processes (`_nr_pr`).
    pub fn nr_processes(&self, state: &[u8]) -> usize {
        self.model.layout.nr_processes(state)
    }

    /// What a process is an instance of; `None` if there is no such process.
    pub fn proctype_of(&self, state: &[u8], pid: Pid) -> Option<ProctypeId> {
        self.model.layout.proctype(state, usize::from(pid.0))
    }

    /// Where a process is; `None` if there is no such process.
    pub fn location_of(&self, state: &[u8], pid: Pid) -> Option<Loc> {
        let layout = &self.model.layout;
        let process = layout.walk(state).nth(usize::from(pid.0))?;
        Some(layout.location(state, process))
    }

    /// Names and values of everything in a state.
    pub fn view<'a>(&'a self, state: &'a [u8]) -> StateView<'a> {
        StateView::new(&self.model, state)
    }

    /// The value of an expression that belongs to no process, such as an atom of a property. `timeout` is false in
    /// it.
    pub fn eval(&mut self, state: &[u8], code: Code) -> Result<i32, Fault> {
        self.eval_with(state, code, false)
    }

    /// The value of an expression that belongs to no process, `timeout` being what it is.
    pub fn eval_with(&mut self, state: &[u8], code: Code, timeout: bool) -> Result<i32, Fault> {
        self.prepare(state, timeout);
        interpret::eval(&self.model, &mut self.scratch, state, Who::NOBODY, code).map_err(|f| *f)
    }

    /// The value of an expression of process `pid`.
    pub fn eval_for(&mut self, state: &[u8], pid: Pid, code: Code) -> Result<i32, Fault> {
        self.prepare(state, false);
        let who = Who {
            pid,
            locals: self.scratch.tables.process(pid).locals,
        };
        interpret::eval(&self.model, &mut self.scratch, state, who, code).map_err(|f| *f)
    }

    fn prepare(&mut self, state: &[u8], timeout: bool) {
        self.scratch.tables.follow(&self.model.layout, state);
        self.scratch.timeout = timeout;
        self.scratch.message.open = false;
    }

    /// Starts or stops collecting what the model prints.
    pub fn collect_output(&mut self, enabled: bool) {
        self.scratch.output.enable(enabled);
    }

    /// What moves have printed since this was last called, one piece per statement.
    pub fn take_output(&mut self) -> Vec<String> {
        self.scratch.output.take()
    }
}
