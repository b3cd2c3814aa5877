//! What has a graph and a frame: proctypes, and procedures in the ways in which they can be called.

use promela_lite::code::{Cell, Code};
use promela_lite::program::{Frame, Graph, ProcedureId, ProctypeId, Program};

/// How a procedure was called.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// Outside of `atomic`: control is given up by the call and by the return.
    Plain,
    /// Inside: every step keeps control, the return only if that is said.
    Atomic {
        /// Whether the caller has control after the return.
        kept: bool,
    },
}

/// A body of code.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Body {
    Process(ProctypeId),
    Procedure(ProcedureId, Mode),
}

impl Body {
    /// How many kinds of frames there are.
    pub(super) fn count(program: &Program) -> usize {
        program.proctypes.len() + program.procedures.len()
    }

    /// The number of its frame.
    pub(super) fn index(self, program: &Program) -> usize {
        match self {
            Body::Process(proctype) => proctype.index(),
            Body::Procedure(procedure, _) => program.proctypes.len() + procedure.index(),
        }
    }

    pub(super) fn graph(self, program: &Program) -> &Graph {
        match self {
            Body::Process(proctype) => &program.proctypes[proctype.index()].graph,
            Body::Procedure(procedure, _) => &program.procedures[procedure.index()].graph,
        }
    }

    pub(super) fn init(self, program: &Program) -> Code {
        match self {
            Body::Process(proctype) => program.proctypes[proctype.index()].init,
            Body::Procedure(procedure, _) => program.procedures[procedure.index()].init,
        }
    }

    pub(super) fn parameters(self, program: &Program) -> &[Cell] {
        match self {
            Body::Process(proctype) => &program.proctypes[proctype.index()].parameters,
            Body::Procedure(procedure, _) => &program.procedures[procedure.index()].parameters,
        }
    }

    /// Whether every step keeps control.
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Body::Procedure(_, Mode::Atomic { .. }))
    }
}

/// All frames, of proctypes and then of procedures.
pub(super) fn frames(program: &Program) -> impl Iterator<Item = &Frame> {
    let processes = program.proctypes.iter().map(|proctype| &proctype.frame);
    processes.chain(program.procedures.iter().map(|procedure| &procedure.frame))
}

/// All graphs, of proctypes and then of procedures.
pub(super) fn graphs(program: &Program) -> impl Iterator<Item = &Graph> {
    let processes = program.proctypes.iter().map(|proctype| &proctype.graph);
    processes.chain(program.procedures.iter().map(|procedure| &procedure.graph))
}
