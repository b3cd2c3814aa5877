//! From skeleton to control-flow graph: which elements are locations, and which edges leave them.
//!
//! A process rests at the elements that a step can lead to. From the end of a step, joins, exits and jumps are passed
//! without cost ([`Build::settle`]), except where that would leave an `atomic`: then the jump stays, as a step that gives
//! up control. The edges of a basic statement are itself; of a selection, block or `atomic`, the first steps of its
//! options. Escapes that cover an element come first, on levels of their own, the outermost `unless` at the lowest level.

use super::skeleton::{Jump, NodeId, NodeKind, SeqId, Skeleton};
use crate::code::Code;
use crate::program::{Action, Edge, EdgeId, Footprint, Graph, Loc, Location};
use crate::source::Span;
use crate::symbol::Interner;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::mem::take;

/// Jumps in a row after which control is taken to run in a circle.
const MAX_HOPS: usize = 4_000;

/// Edges of one graph. Escapes and nested options can multiply: n statements under an `unless` with m ways out have n · m.
const MAX_EDGES: usize = 2_000_000;

/// Something about control flow that cannot be.
pub(super) enum Trouble {
    UnknownLabel,
    JumpIntoDStep(Span),
    Circle(Span),
    TooManyEdges(Span),
}

/// By element: its location, if a process can rest there.
pub(super) type Places = Vec<Option<Loc>>;

/// A graph under construction.
pub(super) struct Build<'s> {
    pub(super) skeleton: &'s mut Skeleton,
    symbols: &'s Interner,
    places: Places,
    order: Vec<NodeId>,
    graph: Graph,
    /// The element that each edge comes from.
    origins: Vec<NodeId>,
    /// What `d_step`s were compiled to, by their first node.
    d_steps: &'s FxHashMap<NodeId, DStepCode>,
    pub(super) trouble: Vec<Trouble>,
}

/// A compiled `d_step`: its first statement, and what follows it in the same step.
pub(super) struct DStepCode {
    pub(super) action: Action,
    pub(super) then: Code,
    pub(super) footprint: Footprint,
}

/// The kinds of label that mean something to the checker.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
pub(super) struct Marks {
    end: bool,
    accept: bool,
    progress: bool,
}

impl Marks {
    fn absorb(&mut self, other: Marks) {
        self.end |= other.end;
        self.accept |= other.accept;
        self.progress |= other.progress;
    }
}

/// The basic elements whose steps leave a location, with the labels of what is passed on the way to each.
type Options = SmallVec<[(NodeId, Marks); 4]>;

impl<'s> Build<'s> {
    pub(super) fn new(
        skeleton: &'s mut Skeleton,
        symbols: &'s Interner,
        d_steps: &'s FxHashMap<NodeId, DStepCode>,
    ) -> Self {
        let nodes = skeleton.nodes.len();
        Build {
            skeleton,
            symbols,
            places: vec![None; nodes],
            order: Vec::new(),
            graph: Graph::default(),
            origins: Vec::with_capacity(nodes),
            d_steps,
            trouble: Vec::new(),
        }
    }

    /// Builds the graph of the body `seq`. Also tells the location of each node that is one.
    pub(super) fn run(mut self, seq: SeqId) -> (Graph, Places, Vec<Trouble>) {
        let Some(first) = self.skeleton.seq(seq).first else {
            return (self.graph, self.places, self.trouble);
        };
        self.graph.edges.reserve(self.skeleton.nodes.len());
        let start = self.settle(first, self.skeleton.node(first).atomic);
        self.graph.start = self.place(start);
        let mut marks: FxHashMap<Loc, Marks> = FxHashMap::default();
        let mut done = 0;
        while let Some(&node) = self.order.get(done) {
            self.leave(node, Loc(done as u32), &mut marks);
            done += 1;
            if self.graph.edges.len() > MAX_EDGES {
                let span = self.skeleton.node(node).span;
                self.trouble.push(Trouble::TooManyEdges(span));
                break;
            }
        }
        for (index, location) in self.graph.locations.iter_mut().enumerate() {
            if let Some(extra) = marks.get(&Loc(index as u32)) {
                location.end |= extra.end;
                location.accept |= extra.accept;
                location.progress |= extra.progress;
            }
        }
        if self.trouble.is_empty() {
            self.graph.states = self.skeleton.next_number - 1;
            self.graph.listing = self.listing(seq);
        }
        self.describe_edges();
        (self.graph, self.places, self.trouble)
    }

    /// Gives the edges the texts and footprints of their elements: the last edge of an element takes them.
    fn describe_edges(&mut self) {
        let mut uses = vec![0u32; self.skeleton.nodes.len()];
        for origin in &self.origins {
            uses[origin.0 as usize] += 1;
        }
        for (edge, &origin) in self.graph.edges.iter_mut().zip(&self.origins) {
            let node = self.skeleton.node_mut(origin);
            let left = &mut uses[origin.0 as usize];
            *left -= 1;
            (edge.text, edge.footprint) = match *left {
                0 => (take(&mut node.text).into_owned(), take(&mut node.footprint)),
                _ => (node.text.to_string(), node.footprint.clone()),
            };
            match node.kind {
                NodeKind::Else => edge.footprint.specials.else_ = true,
                NodeKind::End => edge.footprint.specials.end = true,
                NodeKind::DStep(_) => {
                    if let Some(code) = self.d_steps.get(&origin) {
                        edge.footprint = code.footprint.clone();
                    }
                }
                _ => {}
            }
        }
    }

    /// The location of a node, new if it has none yet.
    fn place(&mut self, node: NodeId) -> Loc {
        if let Some(loc) = self.places[node.0 as usize] {
            return loc;
        }
        let loc = Loc(self.order.len() as u32);
        self.places[node.0 as usize] = Some(loc);
        self.order.push(node);
        let marks = self.marks(node);
        let labels = self.skeleton.labels.at(node);
        self.graph.locations.push(Location {
            number: self.skeleton.node(node).number,
            first: EdgeId(0),
            count: 0,
            labels: labels
                .map(|l| self.symbols.text(l.name).to_string())
                .collect(),
            end: marks.end || matches!(self.skeleton.node(node).kind, NodeKind::End),
            accept: marks.accept,
            progress: marks.progress,
            span: self.skeleton.node(node).span,
        });
        loc
    }

    fn marks(&self, node: NodeId) -> Marks {
        let mut marks = Marks::default();
        for label in self.skeleton.labels.at(node) {
            let name = self.symbols.text(label.name);
            marks.end |= name.starts_with("end");
            marks.accept |= name.starts_with("accept");
            marks.progress |= name.starts_with("progress");
        }
        marks
    }

    /// Where a process comes to rest that is led to `node` by a step that keeps control (`atomic`) or not.
    pub(super) fn settle(&mut self, mut node: NodeId, atomic: bool) -> NodeId {
        for _ in 0..MAX_HOPS {
            let next = match self.skeleton.node(node).kind {
                NodeKind::Goto(jump) => self.jump(node, jump),
                NodeKind::Join | NodeKind::Exit => self.skeleton.node(node).next,
                NodeKind::Unless(main, _) => self.skeleton.seq(main).first,
                _ => return node,
            };
            match next {
                None => return node,
                Some(next) if atomic && !self.skeleton.node(next).atomic => return node,
                Some(next) => node = next,
            }
        }
        self.trouble
            .push(Trouble::Circle(self.skeleton.node(node).span));
        node
    }

    fn jump(&mut self, node: NodeId, jump: Jump) -> Option<NodeId> {
        let to = self.skeleton.destination(jump);
        match (to, jump) {
            (None, _) => self.trouble.push(Trouble::UnknownLabel),
            (Some(to), _) if self.enters_d_step(node, to) => {
                self.trouble
                    .push(Trouble::JumpIntoDStep(self.skeleton.node(node).span));
            }
            _ => {}
        }
        to
    }

    /// A jump to a `d_step` as a whole is fine; one to a statement inside it is not.
    fn enters_d_step(&self, from: NodeId, to: NodeId) -> bool {
        let (from, to) = (self.skeleton.node(from), self.skeleton.node(to));
        from.d_step != to.d_step && to.d_step.is_some()
    }

    /// The element that an option or block starts with.
    fn entry(&self, seq: SeqId) -> Option<NodeId> {
        let mut node = self.skeleton.seq(seq).first?;
        for _ in 0..MAX_HOPS {
            node = match self.skeleton.node(node).kind {
                NodeKind::Join => match self.skeleton.node(node).next {
                    Some(next) => next,
                    None => return Some(node),
                },
                NodeKind::Unless(main, _) => self.skeleton.seq(main).first?,
                _ => return Some(node),
            };
        }
        None
    }

    /// The basic elements whose steps leave `node`, in order, with the labels of what lies between.
    fn options(&self, node: NodeId, marks: Marks, out: &mut Options) {
        let mut follow = |seq: SeqId| {
            if let Some(entry) = self.entry(seq) {
                let mut passed = marks;
                passed.absorb(self.marks(entry));
                self.options(entry, passed, out);
            }
        };
        match &self.skeleton.node(node).kind {
            NodeKind::If(options) | NodeKind::Do(options) => {
                options.iter().for_each(|&s| follow(s))
            }
            NodeKind::Atomic(body) | NodeKind::Block(body) => follow(*body),
            _ => out.push((node, marks)),
        }
    }

    /// The basic elements whose steps leave `node`, escapes aside.
    pub(super) fn first_steps(&self, node: NodeId) -> Options {
        let mut steps = Options::new();
        self.options(node, Marks::default(), &mut steps);
        steps
    }

    /// Adds the edges out of a location.
    fn leave(&mut self, node: NodeId, from: Loc, marks: &mut FxHashMap<Loc, Marks>) {
        let mut levels: SmallVec<[Options; 1]> = smallvec![self.first_steps(node)];
        self.add_escapes(&mut levels);
        let first = EdgeId(self.graph.edges.len() as u32);
        for (level, options) in levels.into_iter().enumerate() {
            for (option, passed) in options {
                let edge = self.edge(option, from, level.min(255) as u8);
                // SPIN gives the labels of what an edge passes to where it leads.
                if passed != Marks::default() {
                    marks.entry(edge.to).or_default().absorb(passed);
                }
                self.graph.edges.push(edge);
                self.origins.push(option);
            }
        }
        let location = &mut self.graph.locations[from.index()];
        location.first = first;
        location.count = self.graph.edges.len() as u32 - first.0;
    }

    /// Puts the escapes of every option in front, each on a level of its own, unless their steps are there already.
    pub(super) fn add_escapes(&mut self, levels: &mut SmallVec<[Options; 1]>) {
        let covered = levels[0].clone();
        if covered
            .iter()
            .all(|&(n, _)| self.skeleton.node(n).escapes.is_empty())
        {
            return;
        }
        let mut present: FxHashSet<NodeId> = covered.iter().map(|&(n, _)| n).collect();
        for (option, _) in covered {
            // As in SPIN: where a selection is left in a step of its own, nothing escapes.
            if matches!(self.skeleton.node(option).kind, NodeKind::Join) {
                continue;
            }
            for escape in self.skeleton.node(option).escapes.clone().into_iter().rev() {
                let Some(first) = self.skeleton.seq(escape).first else {
                    continue;
                };
                let entry = self.settle(first, self.skeleton.node(option).atomic);
                let mut steps = self.first_steps(entry);
                steps.retain(|(node, _)| !present.contains(node));
                if !steps.is_empty() {
                    present.extend(steps.iter().map(|(n, _)| *n));
                    levels.insert(0, steps);
                }
            }
        }
    }

    fn edge(&mut self, id: NodeId, from: Loc, level: u8) -> Edge {
        let node = self.skeleton.node(id);
        let mut then = Code::EMPTY;
        let action = match &node.kind {
            NodeKind::Plain(action) => action.clone(),
            NodeKind::Else => Action::Else,
            NodeKind::End => Action::End,
            NodeKind::DStep(_) => match self.d_steps.get(&id) {
                Some(code) => {
                    then = code.then;
                    code.action.clone()
                }
                None => Action::Skip,
            },
            _ => Action::Skip,
        };
        let (atomic, step, span) = (node.atomic, node.step, node.span);
        let d_step = matches!(node.kind, NodeKind::DStep(_));
        let next = match node.kind {
            NodeKind::Goto(jump) => self.jump(id, jump),
            NodeKind::Plain(Action::Return(_)) => None,
            _ => node.next,
        };
        let to = match next {
            Some(next) => {
                let rest = self.settle(next, atomic);
                self.place(rest)
            }
            None => from,
        };
        let plain = smallvec![EdgeId(self.graph.edges.len() as u32)];
        Edge {
            from,
            to,
            action,
            then,
            atomic,
            d_step,
            level,
            step,
            span,
            text: String::new(),
            footprint: Footprint::default(),
            plain,
        }
    }
}
