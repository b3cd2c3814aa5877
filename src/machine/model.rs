//! What the machine works out once for a program: layout, code, and a short record for every step.

use super::layout::Layout;
use super::memory::mask;
use super::ops::{Ops, Quick, Slot};
use promela_lite::code::{Code, Instr, Region, Scalar};
use promela_lite::program::{
    Action, EdgeId, Graph, Loc, Location, Program, RecvArg, RecvId, RecvOp, SendId,
};
use std::sync::Arc;

/// A program prepared for execution.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) program: Arc<Program>,
    pub(super) layout: Layout,
    pub(super) code: Ops,
    pub(super) graphs: Vec<Steps>,
    pub(super) sends: Vec<Send>,
    pub(super) recvs: Vec<Receive>,
    /// Whether `provided` clauses or priorities may keep a process from stepping.
    pub(super) restricted: bool,
    pub(super) scope: TraceScope,
}

/// The steps of one proctype.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    places: Vec<Place>,
    edges: Vec<Edge>,
}

/// The steps of one location.
#[derive(Copy, Clone, Debug)]
struct Place {
    first: u32,
    end: u32,
    /// Whether one of them may be the receiving half of a rendezvous.
    receives: bool,
}

impl Steps {
    fn new(program: &Program, layout: &Layout, code: &Ops, graph: &Graph) -> Steps {
        let edges = graph
            .edges
            .iter()
            .map(|edge| Edge {
                kind: Kind::of(program, layout, code, &edge.action),
                level: edge.level,
                atomic: edge.atomic,
                to: edge.to,
                then: edge.then,
            })
            .collect();
        let place = |l: &Location| Place {
            first: l.first.0,
            end: l.first.0 + l.count,
            receives: graph.edges[l.edges()].iter().any(|edge| match edge.action {
                Action::Recv(_) => true,
                Action::DStep(code) => program.instrs[code.range()]
                    .iter()
                    .any(|i| matches!(i, Instr::RecvOr(..))),
                _ => false,
            }),
        };
        Steps {
            places: graph.locations.iter().map(place).collect(),
            edges,
        }
    }

    /// The edges that leave a location.
    #[inline]
    pub(super) fn at(&self, loc: Loc) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let Place { first, end, .. } = self.places[loc.index()];
        let edges = &self.edges[first as usize..end as usize];
        (first..end).map(EdgeId).zip(edges)
    }

    /// Whether some step of a location may be the receiving half of a rendezvous.
    pub(super) fn receives(&self, loc: Loc) -> bool {
        self.places[loc.index()].receives
    }

    pub(super) fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.index()]
    }
}

/// A step of a process.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) kind: Kind,
    pub(super) level: u8,
    pub(super) atomic: bool,
    pub(super) to: Loc,
    pub(super) then: Code,
}

/// [`Action`] with what is common spelt out.
#[derive(Copy, Clone, Debug)]
pub(super) enum Kind {
    Skip,
    Guard(Quick),
    /// A guard that starts a process: always executable, executed on the successor.
    Run(Code),
    /// One assignment to a variable, the value cut by the mask.
    Assign(Slot, u32, Quick),
    Effect(Code),
    Else,
    Send(SendId),
    Recv(RecvId),
    DStep(Code),
    End,
}

impl Kind {
    fn of(program: &Program, layout: &Layout, code: &Ops, action: &Action) -> Kind {
        match *action {
            Action::Skip => Kind::Skip,
            Action::Guard(guard) => {
                let runs = |i: &Instr| matches!(i, Instr::Run { .. });
                match program.instrs[guard.range()].iter().any(runs) {
                    true => Kind::Run(guard),
                    false => Kind::Guard(code.quick(guard)),
                }
            }
            Action::Effect(effect) => {
                assignment(program, layout, code, effect).unwrap_or(Kind::Effect(effect))
            }
            Action::Else => Kind::Else,
            Action::Send(send) => Kind::Send(send),
            Action::Recv(recv) => Kind::Recv(recv),
            Action::DStep(code) => Kind::DStep(code),
            Action::End => Kind::End,
        }
    }
}

/// An effect that is one assignment of a quick expression.
fn assignment(program: &Program, layout: &Layout, code: &Ops, effect: Code) -> Option<Kind> {
    let Some(Instr::Store(cell)) = program.instrs[effect.range()].last() else {
        return None;
    };
    let value = Code {
        start: effect.start,
        end: effect.end - 1,
    };
    match code.quick(value) {
        Quick::Code(_) => None,
        quick => Some(Kind::Assign(Slot::of(layout, *cell), mask(cell.ty), quick)),
    }
}

/// A send.
#[derive(Clone, Debug)]
pub(super) struct Send {
    pub(super) chan: Quick,
    pub(super) args: Vec<Quick>,
    pub(super) sorted: bool,
}

/// What a receive does with a field.
#[derive(Copy, Clone, Debug)]
pub(super) enum Argument {
    Ignore,
    Match(Quick),
    Bind(Slot, u32),
    BindAt(Code, Region, Scalar),
}

/// A receive.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    pub(super) chan: Quick,
    pub(super) args: Vec<Argument>,
    pub(super) random: bool,
    pub(super) peek: bool,
}

impl Receive {
    fn new(layout: &Layout, code: &Ops, recv: &RecvOp) -> Receive {
        let argument = |arg: &RecvArg| match *arg {
            RecvArg::Ignore => Argument::Ignore,
            RecvArg::Match(value) => Argument::Match(code.quick(value)),
            RecvArg::Bind(cell) => Argument::Bind(Slot::of(layout, cell), mask(cell.ty)),
            RecvArg::BindAt(code, region, ty) => Argument::BindAt(code, region, ty),
        };
        Receive {
            chan: code.quick(recv.chan),
            args: recv.args.iter().map(argument).collect(),
            random: recv.random,
            peek: recv.peek,
        }
    }
}

/// The channels whose events the trace automaton watches, by the code that leaves their identity.
#[derive(Clone, Debug, Default)]
pub(super) struct TraceScope {
    pub(super) sends: Vec<Code>,
    pub(super) recvs: Vec<Code>,
}

impl TraceScope {
    fn new(program: &Program) -> TraceScope {
        let mut scope = TraceScope::default();
        for edge in program.trace.iter().flat_map(|trace| &trace.graph.edges) {
            match edge.action {
                Action::Send(send) => scope.sends.push(program.sends[send.index()].chan),
                Action::Recv(recv) => scope.recvs.push(program.recvs[recv.index()].chan),
                _ => {}
            }
        }
        scope
    }
}

impl Model {
    pub(super) fn new(program: Arc<Program>) -> Model {
        let layout = Layout::new(&program);
        let code = Ops::new(&program, &layout);
        let graphs = program
            .proctypes
            .iter()
            .map(|proctype| Steps::new(&program, &layout, &code, &proctype.graph))
            .collect();
        let recvs = program
            .recvs
            .iter()
            .map(|recv| Receive::new(&layout, &code, recv))
            .collect();
        let sends = program
            .sends
            .iter()
            .map(|send| Send {
                chan: code.quick(send.chan),
                args: send.args.iter().map(|&arg| code.quick(arg)).collect(),
                sorted: send.sorted,
            })
            .collect();
        let restricted = program.features.provided || program.features.priorities;
        let scope = TraceScope::new(&program);
        Model {
            layout,
            code,
            graphs,
            sends,
            recvs,
            restricted,
            scope,
            program,
        }
    }
}
