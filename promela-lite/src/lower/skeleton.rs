//! The skeleton of a process: statements linked in the order of control, before they become locations and edges.
//!
//! SPIN's numbers of states depend on which of its control states a process can rest in, so the skeleton has exactly
//! the elements SPIN has: one for every basic statement, one for every `if`, `do`, `unless`, `atomic`, `d_step` and
//! block, one (a *join*) where the options of a selection meet again, one (an *exit*) behind a loop. They are made in
//! the order in which SPIN makes them, children first, so that their numbers are the ones in its trails.
//!
//! A [`Seq`] is a list of nodes; the last node of an option is linked to the join of its selection, the last node of a
//! block to what follows the block.

use super::labels::{Labels, ScopeId};
use crate::ast::Name;
use crate::program::{Action, ChanAccess, Footprint};
use crate::source::Span;
use smallvec::SmallVec;
use std::borrow::Cow;

/// Index into [`Skeleton::nodes`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) u32);

/// Index into [`Skeleton::seqs`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SeqId(pub(super) u32);

/// An element of the skeleton.
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) next: Option<NodeId>,
    /// Escapes that cover this element, outermost first.
    pub(super) escapes: SmallVec<[SeqId; 2]>,
    /// Inside `atomic`, and control stays with the process after this element.
    pub(super) atomic: bool,
    /// The last element of an `atomic`.
    pub(super) last_atomic: bool,
    /// The innermost `d_step` it is part of, by a number of its own.
    pub(super) d_step: Option<u32>,
    /// SPIN's number of this control state, from 1 in each process.
    pub(super) number: u32,
    /// SPIN's number of this element in the whole model.
    pub(super) step: u32,
    pub(super) span: Span,
    /// Stands for a basic statement of the model, or for the start of a `for` or `select`; others are glue.
    pub(super) written: bool,
    /// Stands for a declaration, which SPIN keeps as a step of its own although it may do nothing.
    pub(super) declares: bool,
    pub(super) text: Cow<'static, str>,
    pub(super) footprint: Footprint,
}

impl Node {
    /// Whether this can be executed depends on the room in, or the messages of, a channel.
    pub(super) fn depends_on_channel_space(&self) -> bool {
        use ChanAccess::{Empty, Full, Nempty, Nfull};
        match self.kind {
            NodeKind::Plain(Action::Send(_) | Action::Recv(_)) => true,
            NodeKind::Plain(Action::Guard(_)) => {
                let mut uses = self.footprint.chans.iter();
                uses.any(|c| matches!(c.how, Empty | Nempty | Full | Nfull))
            }
            _ => false,
        }
    }
}

/// What an element is.
pub(super) enum NodeKind {
    /// A basic statement.
    Plain(Action),
    /// `else`
    Else,
    /// The closing brace of the body.
    End,
    /// `goto` and `break`.
    Goto(Jump),
    /// Where the options of a selection meet, or the head of a loop.
    Join,
    /// Behind a loop: where `break` leads.
    Exit,
    If(Vec<SeqId>),
    Do(Vec<SeqId>),
    /// The normal sequence, and its escape.
    Unless(SeqId, SeqId),
    Atomic(SeqId),
    DStep(SeqId),
    Block(SeqId),
}

/// Where a jump goes.
#[derive(Copy, Clone)]
pub(super) enum Jump {
    /// A label, found from a place in the nesting of blocks.
    Label(Name, ScopeId),
    /// Out of a loop.
    Break(usize),
}

/// A list of nodes.
#[derive(Copy, Clone, Default)]
pub(super) struct Seq {
    pub(super) first: Option<NodeId>,
    /// The last node linked, joins included.
    pub(super) last: Option<NodeId>,
    /// The last node of the text itself.
    pub(super) extent: Option<NodeId>,
}

/// One process body under construction.
#[derive(Default)]
pub(super) struct Skeleton {
    pub(super) nodes: Vec<Node>,
    pub(super) seqs: Vec<Seq>,
    open: Vec<Seq>,
    pub(super) labels: Labels,
    /// Break targets of all loops, and the loops that are open.
    pub(super) exits: Vec<Option<NodeId>>,
    pub(super) loops: Vec<usize>,
    pub(super) d_step: Option<u32>,
    /// Inside `atomic` or `d_step`.
    pub(super) in_atomic: bool,
    /// The next of SPIN's numbers: in the process, in the model.
    pub(super) next_number: u32,
    pub(super) next_step: u32,
}

impl Skeleton {
    pub(super) fn new(next_step: u32) -> Self {
        Skeleton {
            next_number: 1,
            next_step,
            ..Skeleton::default()
        }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    pub(super) fn seq(&self, id: SeqId) -> Seq {
        self.seqs[id.0 as usize]
    }

    /// Makes an element that is not linked yet.
    pub(super) fn make(
        &mut self,
        kind: NodeKind,
        span: Span,
        text: impl Into<Cow<'static, str>>,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            kind,
            next: None,
            escapes: SmallVec::new(),
            atomic: false,
            last_atomic: false,
            d_step: self.d_step,
            number: self.next_number,
            step: self.next_step,
            span,
            written: false,
            declares: false,
            text: text.into(),
            footprint: Footprint::default(),
        });
        self.next_number += 1;
        self.next_step += 1;
        id
    }

    pub(super) fn open(&mut self) {
        self.open.push(Seq::default());
    }

    /// Closes the innermost sequence.
    pub(super) fn close(&mut self) -> SeqId {
        let mut seq = self.open.pop().unwrap_or_default();
        seq.extent = seq.last;
        self.seqs.push(seq);
        SeqId(self.seqs.len() as u32 - 1)
    }

    /// The first element of the innermost open sequence.
    pub(super) fn first_of_open(&self) -> Option<NodeId> {
        self.open.last().and_then(|seq| seq.first)
    }

    /// Opens a loop: what `break` inside it refers to.
    pub(super) fn enter_loop(&mut self) -> usize {
        self.exits.push(None);
        self.loops.push(self.exits.len() - 1);
        self.exits.len() - 1
    }

    /// Links a node behind the innermost open sequence.
    pub(super) fn append(&mut self, node: NodeId) {
        let Some(mut seq) = self.open.pop() else {
            return;
        };
        self.link(&mut seq, node);
        self.open.push(seq);
    }

    fn link(&mut self, seq: &mut Seq, node: NodeId) {
        match seq.last {
            None => seq.first = Some(node),
            Some(last) => self.node_mut(last).next = Some(node),
        }
        seq.last = Some(node);
    }

    fn link_closed(&mut self, id: SeqId, node: NodeId) {
        let mut seq = self.seq(id);
        self.link(&mut seq, node);
        self.seqs[id.0 as usize] = seq;
    }

    /// Makes and links a selection, or the loop with that exit, out of its options.
    pub(super) fn select(
        &mut self,
        options: Vec<SeqId>,
        exit: Option<usize>,
        span: Span,
    ) -> NodeId {
        let text = if exit.is_some() { "do" } else { "if" };
        let head = self.make(NodeKind::Join, span, text);
        let join = self.make(NodeKind::Join, span, ".(goto)");
        for &option in &options {
            self.link_closed(option, join);
        }
        let after = match exit {
            Some(id) => {
                self.append(join);
                let exit = self.make(NodeKind::Exit, span, "break");
                self.exits[id] = Some(exit);
                exit
            }
            None => join,
        };
        self.node_mut(head).kind = if exit.is_some() {
            NodeKind::Do(options)
        } else {
            NodeKind::If(options)
        };
        self.append(head);
        self.append(after);
        head
    }

    /// Makes and links an `unless`.
    pub(super) fn unless(&mut self, main: SeqId, escape: SeqId, span: Span) -> NodeId {
        let head = self.make(NodeKind::Unless(main, escape), span, "unless");
        let join = self.make(NodeKind::Join, span, ".(goto)");
        self.link_closed(main, join);
        self.link_closed(escape, join);
        self.attach_escape(main, escape);
        self.append(head);
        self.append(join);
        head
    }

    fn attach_escape(&mut self, seq: SeqId, escape: SeqId) {
        let Seq { first, extent, .. } = self.seq(seq);
        let mut at = first;
        while let Some(node) = at {
            self.escape_node(node, escape);
            if Some(node) == extent {
                break;
            }
            at = self.node(node).next;
        }
    }

    fn escape_node(&mut self, id: NodeId, escape: SeqId) {
        if self.node(id).escapes.contains(&escape) {
            return;
        }
        // The escapes that cover this element already can be escaped from too.
        for inner in self.node(id).escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.node_mut(id).escapes.insert(0, escape);
        match &self.node(id).kind {
            NodeKind::Unless(main, _) => self.attach_escape(*main, escape),
            NodeKind::If(options) | NodeKind::Do(options) => {
                for option in options.clone() {
                    self.attach_escape(option, escape);
                }
            }
            // Only the guard of a d_step can be escaped from.
            NodeKind::DStep(body) => {
                if let Some(first) = self.seq(*body).first {
                    self.escape_node(first, escape);
                }
            }
            NodeKind::Atomic(body) | NodeKind::Block(body) => self.attach_escape(*body, escape),
            _ => {}
        }
    }

    /// Marks everything in a sequence as part of an `atomic` (or `d_step`). One that lies within another is marked with
    /// it, except for its end.
    pub(super) fn make_atomic(&mut self, mut seq: SeqId, within: bool) {
        if !within {
            self.walk_atomic(seq);
        }
        while let Some(last) = self.seq(seq).last {
            match self.node(last).kind {
                NodeKind::Block(body) | NodeKind::Atomic(body) => seq = body,
                NodeKind::Unless(main, _) => seq = main,
                _ => {
                    let last = self.node_mut(last);
                    last.atomic = false;
                    last.last_atomic = true;
                    return;
                }
            }
        }
    }

    fn walk_atomic(&mut self, seq: SeqId) {
        let Seq { first, last, .. } = self.seq(seq);
        let mut at = first;
        while let Some(id) = at {
            let node = self.node_mut(id);
            node.atomic = true;
            match &node.kind {
                // An atomic inside an atomic is just a block; so is a d_step inside a d_step.
                NodeKind::Atomic(body) => {
                    let body = *body;
                    node.kind = NodeKind::Block(body);
                    self.walk_atomic(body);
                }
                NodeKind::Block(body) => {
                    let body = *body;
                    self.walk_atomic(body);
                }
                NodeKind::If(subs) | NodeKind::Do(subs) => {
                    subs.clone().into_iter().for_each(|s| self.walk_atomic(s))
                }
                NodeKind::Unless(main, escape) => {
                    let (main, escape) = (*main, *escape);
                    self.walk_atomic(main);
                    self.walk_atomic(escape);
                }
                _ => {}
            }
            if Some(id) == last {
                break;
            }
            at = self.node(id).next;
        }
    }

    /// Inside a `d_step` a further `d_step` is just a block.
    pub(super) fn flatten_d_steps(&mut self, seq: SeqId) {
        let Seq { first, last, .. } = self.seq(seq);
        let mut at = first;
        while let Some(id) = at {
            let subs = match &self.node(id).kind {
                NodeKind::DStep(body) => {
                    let body = *body;
                    self.node_mut(id).kind = NodeKind::Block(body);
                    vec![body]
                }
                NodeKind::Block(body) | NodeKind::Atomic(body) => vec![*body],
                NodeKind::If(subs) | NodeKind::Do(subs) => subs.clone(),
                NodeKind::Unless(main, escape) => vec![*main, *escape],
                _ => Vec::new(),
            };
            subs.into_iter().for_each(|s| self.flatten_d_steps(s));
            if Some(id) == last {
                break;
            }
            at = self.node(id).next;
        }
    }

    /// Drops repeated `skip`s from the options of a selection, as SPIN does: they would be states of their own.
    pub(super) fn prune_skips(&mut self, option: SeqId) {
        let seq = self.seq(option);
        let (mut at, mut before, mut run) = (seq.first, None, 0);
        while let Some(id) = at {
            let next = self.node(id).next;
            let (quiet, print) = self.is_quiet(id);
            if quiet && self.labels.at(id).next().is_none() {
                run += 1;
                let ends = [seq.first, seq.last, seq.extent].contains(&Some(id));
                if run > 1
                    && !print
                    && !ends
                    && let Some(before) = before
                {
                    let before: &mut Node = self.node_mut(before);
                    before.next = next;
                    at = next;
                    continue;
                }
            } else {
                run = 0;
            }
            before = Some(id);
            at = next;
        }
    }

    /// Whether an element is a `skip` or prints, and whether it prints.
    fn is_quiet(&self, id: NodeId) -> (bool, bool) {
        let node = self.node(id);
        match &node.kind {
            NodeKind::Plain(Action::Skip) => (!node.declares, false),
            NodeKind::Plain(_) if node.footprint.specials.prints => (true, true),
            _ => (false, false),
        }
    }

    /// Links the ends of blocks to what follows them. Outer blocks come first: they are made after their contents.
    pub(super) fn tie_ends(&mut self) {
        for index in (0..self.nodes.len() as u32).rev() {
            let id = NodeId(index);
            let (NodeKind::Atomic(body) | NodeKind::Block(body) | NodeKind::DStep(body)) =
                self.node(id).kind
            else {
                continue;
            };
            let next = self.node(id).next;
            if let Some(last) = self.seq(body).last {
                self.node_mut(last).next = next;
            }
        }
    }

    /// A jump out of an `atomic` gives up control; one from the end of an `atomic` into another keeps it.
    pub(super) fn settle_control(&mut self) {
        for index in 0..self.nodes.len() {
            let NodeKind::Goto(jump) = self.nodes[index].kind else {
                continue;
            };
            let Some(to) = self.destination(jump) else {
                continue;
            };
            let to_atomic = self.node(to).atomic || self.node(to).last_atomic;
            let node = &mut self.nodes[index];
            if node.atomic || node.last_atomic {
                node.atomic = to_atomic;
                node.last_atomic = !to_atomic;
            }
        }
    }

    /// The element that a jump leads to.
    pub(super) fn destination(&self, jump: Jump) -> Option<NodeId> {
        match jump {
            Jump::Break(id) => self.exits[id],
            Jump::Label(name, scope) => self.labels.find(name.symbol, scope),
        }
    }
}
