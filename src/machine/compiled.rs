//! The compiled model: what the machine computes once per program: layout, code, and a short record per step.
//!
//! Most steps of a model are small: a comparison, an assignment, a message. Each gets a form that is decided and made without
//! entering the interpreter ([`Ready`], [`EdgeKind`]). [`Form::Plain`] leaves all that out: everything is code, and tests
//! compare the two.

use super::areas::{self, Areas};
use super::exclusive::Exclusives;
use super::layout::Layout;
use super::memory::{Width, mask};
use super::ops::{Ops, Quick, Slot, Within};
use super::tables::{Channel, Tables};
use super::tree::{Source, Tree, Trees};
use promela_lite::code::{Code, Instr, Region, Scalar};
use promela_lite::program::{
    Action, EdgeId, Loc, Location, Proctype, Program, RecvArg, RecvId, RecvOp, SendId, SendOp,
};
use promela_lite::source::Span;
use std::sync::Arc;

/// How steps are prepared.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// What is common has a short form.
    Quick,
    /// All is left to the interpreter: the slow twin.
    Plain,
}

/// A program prepared for execution.
#[derive(Clone, Debug)]
pub(super) struct CompiledModel {
    pub(super) program: Arc<Program>,
    pub(super) layout: Layout,
    pub(super) code: Ops,
    pub(super) trees: Trees,
    pub(super) graphs: Vec<Steps>,
    pub(super) sends: Vec<Send>,
    pub(super) recvs: Vec<Receive>,
    /// Single effects of steps that have several.
    pub(super) effects: Vec<EdgeKind>,
    pub(super) exclusive: Exclusives,
    /// Whether messages go straight from variables to channels and back: nothing else looks at them.
    pub(super) direct: bool,
    /// Whether what is known of one state is used for the next.
    pub(super) caches: bool,
    /// Whether there are rendezvous channels.
    pub(super) meets: bool,
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
    /// Whether each step can be looked at by itself: there are no levels and no `else`, and nobody minds how many are
    /// executable.
    independent: bool,
    /// What it depends on which of them are executable, besides what is noted while they are asked.
    depends: Areas,
}

/// The steps that leave a location.
#[derive(Copy, Clone, Debug)]
pub(super) struct Leaving<'a> {
    /// The identity of the first.
    pub(super) first: EdgeId,
    pub(super) edges: &'a [Edge],
    /// See [`Place::independent`].
    pub(super) independent: bool,
}

impl Steps {
    /// The edges that leave a location.
    #[inline(always)]
    pub(super) fn at(&self, loc: Loc) -> Leaving<'_> {
        let place = &self.places[loc.index()];
        Leaving {
            first: EdgeId(place.first),
            edges: &self.edges[place.first as usize..place.end as usize],
            independent: place.independent,
        }
    }

    /// What it depends on which steps of a location are executable; channels and the process' own variables are left out.
    #[inline(always)]
    pub(super) fn depends(&self, loc: Loc) -> Areas {
        self.places[loc.index()].depends
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
    pub(super) ready: Ready,
    pub(super) level: u8,
    pub(super) atomic: bool,
    pub(super) d_step: bool,
    pub(super) to: Loc,
    pub(super) kind: EdgeKind,
    pub(super) then: Then,
}

/// When a step is executable.
#[derive(Copy, Clone, Debug)]
pub(super) enum Ready {
    Always,
    /// Never by itself.
    Never,
    /// When a variable has the right value.
    Test(Within, Slot),
    Guard(Quick),
    /// When a buffered channel is not full.
    Room(Channel),
    Recv(RecvId),
    Send(SendId),
    /// See its kind.
    Asked,
}

/// What a step does after its action.
#[derive(Copy, Clone, Debug)]
pub(super) enum Then {
    Nothing,
    /// These of [`CompiledModel::effects`].
    Effects(u32, u32),
    Code(Code),
}

/// [`Action`] with what is common spelt out.
#[derive(Copy, Clone, Debug)]
pub(super) enum EdgeKind {
    Skip,
    Guard(Quick),
    /// A guard that starts a process: always executable, executed on the successor.
    Run(Code),
    /// One assignment to a variable, the value cut by the mask.
    Assign(Slot, u32, Quick),
    /// One assignment to a computed place.
    AssignAt(Store),
    Assert(Quick, Span),
    Effect(Code),
    Else,
    Send(SendId),
    Recv(RecvId),
    DStep(Code),
    End,
}

/// An assignment to a computed place.
#[derive(Copy, Clone, Debug)]
pub(super) struct Store {
    pub(super) to: Target,
    pub(super) mask: u32,
    pub(super) value: Quick,
}

/// A computed place.
#[derive(Copy, Clone, Debug)]
pub(super) enum Target {
    /// One of [`Trees::elements`].
    Element(u32),
    /// At an offset into a region.
    Computed(Tree, Region, Width),
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
    /// Whether its arguments have a value in every state.
    pub(super) total: bool,
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
    /// Which fields must have which value.
    pub(super) wanted: Vec<(u32, Quick)>,
    pub(super) random: bool,
    pub(super) peek: bool,
    pub(super) poll: bool,
    /// Whether what it wants has a value in every state.
    pub(super) total: bool,
}

impl Receive {
    /// Whether all that it wants is evaluated before it looks at any message, and may fail.
    pub(super) fn asks_first(&self) -> bool {
        self.random && !self.total
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

/// The parts of a [`CompiledModel`] while it is made.
struct Prepare<'p> {
    program: &'p Program,
    layout: &'p Layout,
    code: &'p Ops,
    trees: Trees,
    sends: Vec<Send>,
    recvs: Vec<Receive>,
    effects: Vec<EdgeKind>,
    form: Form,
}

impl<'p> Prepare<'p> {
    fn source(&self) -> Source<'p> {
        Source {
            instrs: &self.program.instrs,
            ops: self.code,
            layout: self.layout,
        }
    }

    fn quick(&mut self, code: Code) -> Quick {
        match self.form {
            Form::Quick => {
                let source = self.source();
                self.trees.quick(source, code)
            }
            Form::Plain => Quick::Code(code),
        }
    }

    fn steps(&mut self, proctype: &Proctype) -> Steps {
        let graph = &proctype.graph;
        let edges: Vec<Edge> = graph
            .edges
            .iter()
            .map(|edge| {
                let kind = self.kind(&edge.action);
                Edge {
                    ready: self.ready(&kind),
                    level: edge.level,
                    atomic: edge.atomic,
                    d_step: edge.d_step,
                    to: edge.to,
                    kind,
                    then: self.then(edge.then),
                }
            })
            .collect();
        let place = |l: &Location| Place {
            first: l.first.0,
            end: l.first.0 + l.count,
            receives: graph.edges[l.edges()]
                .iter()
                .any(|edge| self.receives(&edge.action)),
            independent: self.form == Form::Quick
                && is_independent(proctype, &graph.edges[l.edges()]),
            depends: graph.edges[l.edges()]
                .iter()
                .map(|edge| areas::of_step(self.program, edge))
                .fold(Areas::NONE, Areas::and),
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

    fn kind(&mut self, action: &Action) -> EdgeKind {
        match *action {
            // Calls are expanded: see `new`.
            Action::Skip | Action::Call(_) | Action::Return(_) => EdgeKind::Skip,
            Action::Guard(guard) => {
                let runs = |i: &Instr| matches!(i, Instr::Run { .. });
                match self.program.instrs[guard.range()].iter().any(runs) {
                    true => EdgeKind::Run(guard),
                    false => EdgeKind::Guard(self.quick(guard)),
                }
            }
            Action::Effect(effect) => self.effect(effect).unwrap_or(EdgeKind::Effect(effect)),
            Action::Else => EdgeKind::Else,
            Action::Send(send) => EdgeKind::Send(send),
            Action::Recv(recv) => EdgeKind::Recv(recv),
            Action::DStep(code) => EdgeKind::DStep(code),
            Action::End => EdgeKind::End,
        }
    }

    /// An effect that is one statement.
    fn effect(&mut self, effect: Code) -> Option<EdgeKind> {
        if self.form == Form::Plain {
            return None;
        }
        let last = *self.program.instrs[effect.range()].last()?;
        let operands = Code {
            end: effect.end - 1,
            ..effect
        };
        match last {
            Instr::Store(cell) => match self.quick(operands) {
                Quick::Code(_) => None,
                value => Some(EdgeKind::Assign(
                    Slot::of(self.layout, cell),
                    mask(cell.ty),
                    value,
                )),
            },
            Instr::StoreAt(region, ty) => {
                let source = self.source();
                let (address, value) = self.trees.plant_two(source, operands)?;
                let to = match self.trees.element(source, address, (region, ty)) {
                    Some(element) => Target::Element(self.trees.add_element(element)),
                    None => Target::Computed(address, region, Width::of(ty)),
                };
                Some(EdgeKind::AssignAt(Store {
                    to,
                    mask: mask(ty),
                    value: self.trees.short_form(value),
                }))
            }
            Instr::Assert(span) => match self.quick(operands) {
                Quick::Code(_) => None,
                condition => Some(EdgeKind::Assert(condition, span)),
            },
            _ => None,
        }
    }

    /// What follows an action: statement by statement if it is that simple. Stores and assertions end a statement, and no
    /// expression holds one; code that jumps from one statement into another is not made of expressions.
    fn then(&mut self, code: Code) -> Then {
        if code.is_empty() {
            return Then::Nothing;
        }
        // The code of a `d_step` ends with a jump to its end.
        let end = match self.program.instrs[code.end as usize - 1] {
            Instr::Jump(to) if to == code.end => code.end - 1,
            _ => code.end,
        };
        let first = self.effects.len();
        let mut start = code.start;
        for pc in code.start..end {
            let ends = matches!(
                self.program.instrs[pc as usize],
                Instr::Store(_) | Instr::StoreAt(..) | Instr::Assert(_)
            );
            if !ends {
                continue;
            }
            let Some(effect) = self.effect(Code { start, end: pc + 1 }) else {
                break;
            };
            self.effects.push(effect);
            start = pc + 1;
        }
        if start == end {
            Then::Effects(first as u32, self.effects.len() as u32)
        } else {
            self.effects.truncate(first);
            Then::Code(code)
        }
    }

    fn ready(&self, kind: &EdgeKind) -> Ready {
        if self.form == Form::Plain {
            return match *kind {
                EdgeKind::Send(send) => Ready::Send(send),
                _ => Ready::Asked,
            };
        }
        match *kind {
            EdgeKind::Skip
            | EdgeKind::Assign(..)
            | EdgeKind::AssignAt(_)
            | EdgeKind::Assert(..)
            | EdgeKind::Effect(_)
            | EdgeKind::Run(_)
            | EdgeKind::Else => Ready::Always,
            EdgeKind::Guard(Quick::Const(0)) => Ready::Never,
            EdgeKind::Guard(Quick::Const(_)) => Ready::Always,
            EdgeKind::Guard(Quick::Test(within, slot)) => Ready::Test(within, slot),
            EdgeKind::Guard(guard) => Ready::Guard(guard),
            EdgeKind::Recv(recv) => match self.recvs[recv.index()].chan {
                Chan::Fixed(channel)
                    if channel.is_rendezvous() && !self.recvs[recv.index()].peek =>
                {
                    Ready::Never
                }
                _ => Ready::Recv(recv),
            },
            EdgeKind::Send(send) => match self.sends[send.index()].chan {
                Chan::Fixed(channel) if !channel.is_rendezvous() => Ready::Room(channel),
                _ => Ready::Send(send),
            },
            EdgeKind::DStep(_) | EdgeKind::End => Ready::Asked,
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
        let args: Vec<Quick> = send.args.iter().map(|&arg| self.quick(arg)).collect();
        Send {
            chan: self.chan(send.chan),
            total: args.iter().all(|arg| arg.is_total()),
            args,
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
        let args: Vec<Argument> = recv.args.iter().map(argument).collect();
        let wanted: Vec<(u32, Quick)> = args
            .iter()
            .enumerate()
            .filter_map(|(index, arg)| match arg {
                Argument::Match(value) => Some((index as u32, *value)),
                _ => None,
            })
            .collect();
        Receive {
            chan: self.chan(recv.chan),
            total: wanted.iter().all(|(_, value)| value.is_total()),
            wanted,
            args,
            random: recv.random,
            peek: recv.peek,
            poll: recv.poll,
        }
    }
}

/// Whether what is executable can be found out step by step.
fn is_independent(proctype: &Proctype, edges: &[promela_lite::program::Edge]) -> bool {
    !proctype.deterministic
        && edges.iter().all(|edge| edge.action != Action::Else)
        && edges.windows(2).all(|pair| pair[0].level == pair[1].level)
}

impl CompiledModel {
    /// `front`: see [`Layout::front`].
    pub(super) fn new(program: Arc<Program>, form: Form, front: usize) -> CompiledModel {
        assert!(
            program.procedures.is_empty(),
            "the machine has no stack: calls are expanded before"
        );
        let layout = Layout::new(&program, front);
        let code = Ops::new(&program, &layout);
        let mut prepare = Prepare {
            program: &program,
            layout: &layout,
            code: &code,
            trees: Trees::default(),
            sends: Vec::new(),
            recvs: Vec::new(),
            effects: Vec::new(),
            form,
        };
        prepare.sends = program.sends.iter().map(|s| prepare.send(s)).collect();
        prepare.recvs = program.recvs.iter().map(|r| prepare.receive(r)).collect();
        let proctypes = program.proctypes.iter();
        let graphs = proctypes.map(|p| prepare.steps(p)).collect();
        CompiledModel {
            trees: prepare.trees,
            effects: prepare.effects,
            graphs,
            sends: prepare.sends,
            recvs: prepare.recvs,
            exclusive: Exclusives::new(&program),
            direct: form == Form::Quick && program.trace.is_none(),
            caches: form == Form::Quick
                && !program.features.provided
                && !program.features.priorities,
            meets: program.templates.iter().any(|t| t.capacity == 0),
            restricted: program.features.provided || program.features.priorities,
            scope: TraceScope::new(&program),
            layout,
            code,
            program,
        }
    }
}
