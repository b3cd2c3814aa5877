//! What the machine works out once for a program: layout, code, and a short record for every step.

use super::layout::Layout;
use super::memory::{Width, mask};
use super::ops::{Ops, Quick, Slot};
use super::tables::{Channel, Tables};
use super::tree::{Tree, Trees};
use promela_lite::code::{Code, Instr, Region, Scalar};
use promela_lite::program::{
    Action, EdgeId, Graph, Loc, Location, Program, RecvArg, RecvId, RecvOp, SendId, SendOp,
};
use std::sync::Arc;

/// A program prepared for execution.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) program: Arc<Program>,
    pub(super) layout: Layout,
    pub(super) code: Ops,
    pub(super) trees: Trees,
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
    /// The edges that leave a location, and the identity of the first.
    #[inline]
    pub(super) fn at(&self, loc: Loc) -> (EdgeId, &[Edge]) {
        let Place { first, end, .. } = self.places[loc.index()];
        (EdgeId(first), &self.edges[first as usize..end as usize])
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
    pub(super) d_step: bool,
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
    /// One assignment to a computed place.
    AssignAt(Store),
    Effect(Code),
    Else,
    Send(SendId),
    Recv(RecvId),
    DStep(Code),
    End,
}

/// An assignment to a computed place of a region.
#[derive(Copy, Clone, Debug)]
pub(super) struct Store {
    pub(super) region: Region,
    pub(super) width: Width,
    pub(super) mask: u32,
    pub(super) address: Tree,
    pub(super) value: Tree,
}

/// A channel operand.
#[derive(Copy, Clone, Debug)]
pub(super) enum Chan {
    /// A global channel under a name that always means it.
    Fixed(Channel),
    /// Whatever channel the expression names.
    Named(Quick),
}

/// A send.
#[derive(Clone, Debug)]
pub(super) struct Send {
    pub(super) chan: Chan,
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
    pub(super) chan: Chan,
    pub(super) args: Vec<Argument>,
    pub(super) random: bool,
    pub(super) peek: bool,
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

/// The parts of a [`Model`] while it is made.
struct Prepare<'p> {
    program: &'p Program,
    layout: &'p Layout,
    code: &'p Ops,
    trees: Trees,
}

impl Prepare<'_> {
    fn quick(&mut self, code: Code) -> Quick {
        self.code.quick(self.program, &mut self.trees, code)
    }

    fn steps(&mut self, graph: &Graph) -> Steps {
        let edges = graph
            .edges
            .iter()
            .map(|edge| Edge {
                kind: self.kind(&edge.action),
                level: edge.level,
                atomic: edge.atomic,
                to: edge.to,
                then: edge.then,
                d_step: edge.d_step,
            })
            .collect();
        let place = |l: &Location| Place {
            first: l.first.0,
            end: l.first.0 + l.count,
            receives: graph.edges[l.edges()]
                .iter()
                .any(|edge| self.receives(&edge.action)),
        };
        Steps {
            places: graph.locations.iter().map(place).collect(),
            edges,
        }
    }

    fn receives(&self, action: &Action) -> bool {
        match *action {
            Action::Recv(_) => true,
            Action::DStep(code) => self.program.instrs[code.range()]
                .iter()
                .any(|i| matches!(i, Instr::RecvOr(..))),
            _ => false,
        }
    }

    fn kind(&mut self, action: &Action) -> Kind {
        match *action {
            Action::Skip => Kind::Skip,
            Action::Guard(guard) => {
                let runs = |i: &Instr| matches!(i, Instr::Run { .. });
                match self.program.instrs[guard.range()].iter().any(runs) {
                    true => Kind::Run(guard),
                    false => Kind::Guard(self.quick(guard)),
                }
            }
            Action::Effect(effect) => self.assignment(effect).unwrap_or(Kind::Effect(effect)),
            Action::Else => Kind::Else,
            Action::Send(send) => Kind::Send(send),
            Action::Recv(recv) => Kind::Recv(recv),
            Action::DStep(code) => Kind::DStep(code),
            Action::End => Kind::End,
        }
    }

    /// An effect that is one assignment.
    fn assignment(&mut self, effect: Code) -> Option<Kind> {
        let last = *self.program.instrs[effect.range()].last()?;
        let operands = Code {
            end: effect.end - 1,
            ..effect
        };
        match last {
            Instr::Store(cell) => match self.quick(operands) {
                Quick::Code(_) => None,
                value => Some(Kind::Assign(
                    Slot::of(self.layout, cell),
                    mask(cell.ty),
                    value,
                )),
            },
            Instr::StoreAt(region, ty) => {
                let (address, value) =
                    self.trees
                        .plant_two(&self.program.instrs, self.code, operands)?;
                Some(Kind::AssignAt(Store {
                    region,
                    width: Width::of(ty),
                    mask: mask(ty),
                    address,
                    value,
                }))
            }
            _ => None,
        }
    }

    fn chan(&mut self, chan: Code) -> Chan {
        let quick = self.quick(chan);
        let fixed = match quick {
            Quick::Const(id) => Tables::new(self.layout).channel(id),
            _ => None,
        };
        fixed.map_or(Chan::Named(quick), Chan::Fixed)
    }

    fn send(&mut self, send: &SendOp) -> Send {
        Send {
            chan: self.chan(send.chan),
            args: send.args.iter().map(|&arg| self.quick(arg)).collect(),
            sorted: send.sorted,
        }
    }

    fn receive(&mut self, recv: &RecvOp) -> Receive {
        let argument = |arg: &RecvArg| match *arg {
            RecvArg::Ignore => Argument::Ignore,
            RecvArg::Match(value) => Argument::Match(self.quick(value)),
            RecvArg::Bind(cell) => Argument::Bind(Slot::of(self.layout, cell), mask(cell.ty)),
            RecvArg::BindAt(code, region, ty) => Argument::BindAt(code, region, ty),
        };
        let args = recv.args.iter().map(argument).collect();
        Receive {
            chan: self.chan(recv.chan),
            args,
            random: recv.random,
            peek: recv.peek,
        }
    }
}

impl Model {
    pub(super) fn new(program: Arc<Program>) -> Model {
        let layout = Layout::new(&program);
        let code = Ops::new(&program, &layout);
        let mut prepare = Prepare {
            program: &program,
            layout: &layout,
            code: &code,
            trees: Trees::default(),
        };
        let proctypes = program.proctypes.iter();
        let graphs = proctypes.map(|p| prepare.steps(&p.graph)).collect();
        let sends = program.sends.iter().map(|s| prepare.send(s)).collect();
        let recvs = program.recvs.iter().map(|r| prepare.receive(r)).collect();
        Model {
            trees: prepare.trees,
            graphs,
            sends,
            recvs,
            restricted: program.features.provided || program.features.priorities,
            scope: TraceScope::new(&program),
            layout,
            code,
            program,
        }
    }
}
