//! What the machine works out once for a program: layout, code, and a short record for every step.

use super::layout::Layout;
use super::memory::mask;
use super::ops::{Op, Ops, Slot};
use promela_lite::code::{BinOp, Code, Instr, Region};
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
    pub(super) recvs: Vec<Receive>,
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
    fn new(program: &Program, code: &Ops, graph: &Graph) -> Steps {
        let edges = graph
            .edges
            .iter()
            .map(|edge| Edge {
                kind: Kind::of(program, code, &edge.action),
                level: edge.level,
                atomic: edge.atomic,
                to: edge.to,
                then: edge.then,
            })
            .collect();
        let place = |l: &Location| Place {
            first: l.first.0,
            end: l.first.0 + l.count,
            receives: graph.edges[l.edges()]
                .iter()
                .any(|edge| matches!(edge.action, Action::Recv(_) | Action::DStep(_))),
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

/// [`Action`] with the commonest guards spelt out.
#[derive(Copy, Clone, Debug)]
pub(super) enum Kind {
    Skip,
    /// `x == 3` and the like.
    WithConst(BinOp, Slot, i32),
    /// `x < y` and the like.
    WithSlot(BinOp, Slot, Slot),
    Guard(Code),
    /// A guard that starts a process: always executable, executed on the successor.
    Run(Code),
    Effect(Code),
    Else,
    Send(SendId),
    Recv(RecvId),
    DStep(Code),
    End,
}

impl Kind {
    fn of(program: &Program, code: &Ops, action: &Action) -> Kind {
        match *action {
            Action::Skip => Kind::Skip,
            Action::Guard(guard) => {
                let runs = |i: &Instr| matches!(i, Instr::Run { .. });
                if program.instrs[guard.range()].iter().any(runs) {
                    return Kind::Run(guard);
                }
                match (guard.range().len(), code.ops.get(guard.start as usize)) {
                    (3, Some(&Op::WithConst(op, slot, v))) => Kind::WithConst(op, slot, v),
                    (3, Some(&Op::WithSlot(op, a, b))) => Kind::WithSlot(op, a, b),
                    _ => Kind::Guard(guard),
                }
            }
            Action::Effect(code) => Kind::Effect(code),
            Action::Else => Kind::Else,
            Action::Send(send) => Kind::Send(send),
            Action::Recv(recv) => Kind::Recv(recv),
            Action::DStep(code) => Kind::DStep(code),
            Action::End => Kind::End,
        }
    }
}

/// What a receive does with a field.
#[derive(Copy, Clone, Debug)]
pub(super) enum Argument {
    Ignore,
    Equal(i32),
    Match(Code),
    Bind(Slot, u32),
    BindAt(Code, Region, promela_lite::code::Scalar),
}

/// A receive.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    pub(super) args: Vec<Argument>,
}

impl Receive {
    fn new(program: &Program, layout: &Layout, recv: &RecvOp) -> Receive {
        let argument = |arg: &RecvArg| match *arg {
            RecvArg::Ignore => Argument::Ignore,
            RecvArg::Match(code) => match program.instrs[code.range()] {
                [Instr::Const(v)] => Argument::Equal(v),
                _ => Argument::Match(code),
            },
            RecvArg::Bind(cell) => Argument::Bind(Slot::of(layout, cell), mask(cell.ty)),
            RecvArg::BindAt(code, region, ty) => Argument::BindAt(code, region, ty),
        };
        Receive {
            args: recv.args.iter().map(argument).collect(),
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
            .map(|proctype| Steps::new(&program, &code, &proctype.graph))
            .collect();
        let recvs = program
            .recvs
            .iter()
            .map(|recv| Receive::new(&program, &layout, recv))
            .collect();
        let scope = TraceScope::new(&program);
        Model {
            layout,
            code,
            graphs,
            recvs,
            scope,
            program,
        }
    }
}
