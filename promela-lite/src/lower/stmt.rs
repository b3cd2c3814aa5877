//! Statements: to elements of the skeleton.
//!
//! A statement is lowered in two moves, as SPIN's parser does it: [`Lower::prepare`] lowers the sequences inside it, then
//! [`Lower::add`] makes its own elements and links them.

use super::Lower;
use super::scope::Context;
use super::skeleton::{NodeId, NodeKind, SeqId};
use crate::ast::{Block, Name, Stmt, StmtKind};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::Action;
use crate::source::Span;

/// How many `unless` can cover one statement: each adds its first steps to the edges of every location inside.
const MAX_COVERS: u32 = 100;

/// A statement whose inner sequences are lowered.
pub(super) enum Prepared<'e> {
    Leaf(&'e Stmt),
    Block(SeqId),
    Atomic(SeqId),
    DStep(SeqId),
    If(Vec<SeqId>),
    /// With the number of its exit.
    Do(Vec<SeqId>, usize),
    Unless(SeqId, SeqId),
    /// Nothing to be linked: a declaration, or an error.
    Nothing,
}

/// What kind of brace a sequence stands in: decides what a label on its first statement means.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Brace {
    Atomic,
    DStep,
    Block,
    Option,
    Unless,
    Body,
}

impl<'a> Lower<'a> {
    /// Lowers a whole body; the closing brace is a step of its own.
    pub(super) fn body(&mut self, block: &'a Block, end: bool) -> SeqId {
        self.initialisers = true;
        let seq = self.sequence(block, Brace::Body, |lower| {
            if end {
                let span = Span {
                    lo: block.span.hi.saturating_sub(1),
                    ..block.span
                };
                let node = lower.skeleton.make(NodeKind::End, span, "-end-");
                lower.skeleton.append(node);
            }
        });
        self.skeleton.tie_ends();
        self.skeleton.settle_control();
        seq
    }

    fn sequence(
        &mut self,
        block: &'a Block,
        brace: Brace,
        finish: impl FnOnce(&mut Self),
    ) -> SeqId {
        self.skeleton.open();
        if brace != Brace::Body {
            self.initialisers = false;
        }
        // Only braces make a scope: what one option declares is known in those behind it.
        let scoped = brace != Brace::Option;
        if scoped {
            self.scopes.open();
        }
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        finish(self);
        if scoped {
            self.scopes.close();
        }
        self.check_first_label(brace);
        self.check_not_empty(block.span);
        self.skeleton.close()
    }

    /// A sequence of declarations alone has no statement to rest at.
    fn check_not_empty(&mut self, span: Span) {
        if self.skeleton.first_of_open().is_some() {
            return;
        }
        if !self.session.diagnostics.has_errors() {
            self.report(
                Diagnostic::error(Code::EmptySequence, span, "this sequence has no statement")
                    .help("write `skip` where nothing is to be done"),
            );
        }
        let skip = self
            .skeleton
            .make(NodeKind::Plain(Action::Skip), span, "(1)");
        self.skeleton.append(skip);
    }

    pub(super) fn stmt(&mut self, stmt: &'a Stmt) {
        // The names of its labels are read before the statement, and so before the labels inside of it.
        if !stmt.labels.is_empty() {
            let scope = self.label_scope();
            for label in &stmt.labels {
                self.skeleton.labels.mention(label.symbol, scope);
            }
        }
        let prepared = self.prepare(stmt);
        self.add(prepared, stmt.span, &stmt.labels);
        if !matches!(stmt.kind, StmtKind::Decl(_) | StmtKind::Exclusive { .. }) {
            self.initialisers = false;
        }
    }

    /// Lowers the sequences inside a statement.
    fn prepare(&mut self, stmt: &'a Stmt) -> Prepared<'a> {
        let braces = matches!(
            stmt.kind,
            StmtKind::Block(_) | StmtKind::Atomic(_) | StmtKind::DStep(_)
        );
        if braces && self.context == Context::Trace {
            self.not_an_event(stmt.span);
        }
        match &stmt.kind {
            StmtKind::Decl(decl) => {
                self.local_decl(decl);
                Prepared::Nothing
            }
            StmtKind::Exclusive { recv, chans } => {
                self.exclusive(*recv, chans);
                Prepared::Nothing
            }
            StmtKind::Block(block) => Prepared::Block(self.sequence(block, Brace::Block, |_| {})),
            StmtKind::Atomic(block) => {
                let within = std::mem::replace(&mut self.skeleton.in_atomic, true);
                let seq = self.sequence(block, Brace::Atomic, |_| {});
                self.skeleton.in_atomic = within;
                self.skeleton.make_atomic(seq, within);
                Prepared::Atomic(seq)
            }
            StmtKind::DStep(block) => Prepared::DStep(self.d_step(block)),
            StmtKind::If(options) => {
                let options = self.options(options);
                Prepared::If(options)
            }
            StmtKind::Do(options) => {
                let exit = self.skeleton.enter_loop();
                let options = self.options(options);
                self.skeleton.loops.pop();
                Prepared::Do(options, exit)
            }
            StmtKind::For {
                var,
                from,
                to,
                body,
            } => self.for_range(var, from, to, body, stmt.span),
            StmtKind::ForIn { var, within, body } => self.for_in(var, within, body, stmt.span),
            StmtKind::Select { var, from, to } => self.select(var, from, to, stmt.span),
            StmtKind::Unless(main, escape) => {
                self.check_d_step(stmt.span, "`unless` stands");
                self.unless(main, escape)
            }
            _ => Prepared::Leaf(stmt),
        }
    }

    fn d_step(&mut self, block: &'a Block) -> SeqId {
        let outer = self.skeleton.d_step;
        let inside = outer.unwrap_or(self.skeleton.next_step);
        self.skeleton.d_step = Some(inside);
        let within = std::mem::replace(&mut self.skeleton.in_atomic, true);
        let seq = self.sequence(block, Brace::DStep, |_| {});
        self.skeleton.in_atomic = within;
        self.skeleton.d_step = outer;
        // Marking what is around a d_step does not reach into it.
        self.skeleton.make_atomic(seq, false);
        if outer.is_none() {
            self.skeleton.flatten_d_steps(seq);
        }
        seq
    }

    fn options(&mut self, options: &'a [Block]) -> Vec<SeqId> {
        let seqs: Vec<SeqId> = options
            .iter()
            .map(|o| self.sequence(o, Brace::Option, |_| {}))
            .collect();
        if self.context != Context::Claim {
            seqs.iter().for_each(|&seq| self.skeleton.prune_skips(seq));
        }
        seqs
    }

    /// `main unless escape`: blocks are taken apart, other statements become sequences of one.
    fn unless(&mut self, main: &'a Stmt, escape: &'a Stmt) -> Prepared<'a> {
        self.covers += 1;
        if self.covers > MAX_COVERS {
            self.report(
                Diagnostic::error(
                    Code::TooDeep,
                    main.span,
                    "`unless` is nested too deeply in statements that can be escaped from",
                )
                .label(format!("more than {MAX_COVERS} levels")),
            );
            self.covers -= 1;
            return Prepared::Nothing;
        }
        let prepared_main = self.prepare(main);
        self.covers -= 1;
        let prepared_escape = self.prepare(escape);
        let escape_seq = match prepared_escape {
            Prepared::Block(seq) if escape.labels.is_empty() => seq,
            other => self.singleton(other, escape),
        };
        let block = match (&prepared_main, main.labels.is_empty()) {
            (Prepared::Block(seq), true) => Some(*seq),
            _ => None,
        };
        if let Some(seq) = block {
            return Prepared::Unless(seq, escape_seq);
        }
        let (Prepared::Block(seq) | Prepared::Atomic(seq) | Prepared::DStep(seq)) = prepared_main
        else {
            let seq = self.singleton(prepared_main, main);
            return Prepared::Unless(seq, escape_seq);
        };
        if main.labels.is_empty() {
            let seq = self.singleton(prepared_main, main);
            return Prepared::Unless(seq, escape_seq);
        }
        // `L: { … } unless …`: the label names the whole, so the whole becomes a block of its own.
        self.skeleton.open();
        self.skeleton.unless(seq, escape_seq, main.span);
        let whole = self.skeleton.close();
        let rewrapped = match prepared_main {
            Prepared::Atomic(_) => Prepared::Atomic(whole),
            Prepared::DStep(_) => Prepared::DStep(whole),
            _ => Prepared::Block(whole),
        };
        self.add(rewrapped, main.span, &main.labels);
        self.initialisers = false;
        Prepared::Nothing
    }

    fn singleton(&mut self, prepared: Prepared<'a>, stmt: &'a Stmt) -> SeqId {
        self.skeleton.open();
        self.add(prepared, stmt.span, &stmt.labels);
        self.check_first_label(Brace::Unless);
        self.check_not_empty(stmt.span);
        self.skeleton.close()
    }

    /// Makes and links the elements of a statement. Returns the one that its labels name.
    pub(super) fn add(
        &mut self,
        prepared: Prepared<'a>,
        span: Span,
        labels: &[Name],
    ) -> Option<NodeId> {
        let (node, linked) = match prepared {
            Prepared::Nothing => return None,
            Prepared::Block(seq) => (self.skeleton.make(NodeKind::Block(seq), span, "{…}"), false),
            Prepared::Atomic(seq) => (
                self.skeleton.make(NodeKind::Atomic(seq), span, "ATOMIC"),
                false,
            ),
            Prepared::DStep(seq) => (
                self.skeleton.make(NodeKind::DStep(seq), span, "D_STEP"),
                false,
            ),
            Prepared::If(options) => {
                let options = self.else_last(options);
                (self.skeleton.select(options, None, span), true)
            }
            Prepared::Do(options, exit) => {
                let options = self.else_last(options);
                (self.skeleton.select(options, Some(exit), span), true)
            }
            Prepared::Unless(main, escape) => {
                self.program.features.unless = true;
                (self.skeleton.unless(main, escape, span), true)
            }
            Prepared::Leaf(stmt) => {
                let node = self.leaf(stmt);
                self.skeleton.node_mut(node).written = true;
                if let StmtKind::Call {
                    result: Some(var),
                    name,
                    ..
                } = &stmt.kind
                {
                    let node = self.link(node, span, labels);
                    let take = self.take_result(var, *name, span);
                    self.skeleton.append(take);
                    (node, true)
                } else {
                    (node, false)
                }
            }
        };
        let node = if linked {
            node
        } else {
            self.link(node, span, labels)
        };
        for &label in labels {
            self.set_label(label, node);
        }
        Some(node)
    }

    /// Links a node. A jump with an end, accept or progress label gets a `skip` in front, to rest at.
    pub(super) fn link(&mut self, node: NodeId, span: Span, labels: &[Name]) -> NodeId {
        let marked = labels.iter().any(|l| {
            let name = self.text(l.symbol);
            ["end", "accept", "progress"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        });
        let is_jump = matches!(self.skeleton.node(node).kind, NodeKind::Goto(_));
        let mut named = node;
        if marked && is_jump {
            named = self
                .skeleton
                .make(NodeKind::Plain(Action::Skip), span, "(1)");
            self.skeleton.append(named);
        }
        self.skeleton.append(node);
        named
    }

    /// Moves the option that starts with `else` to the end.
    fn else_last(&mut self, mut options: Vec<SeqId>) -> Vec<SeqId> {
        let first = |lower: &Self, seq: SeqId| lower.skeleton.seq(seq).first;
        let is_else = |lower: &Self, seq: SeqId| {
            first(lower, seq).is_some_and(|n| matches!(lower.skeleton.node(n).kind, NodeKind::Else))
        };
        let elses: Vec<SeqId> = options
            .iter()
            .copied()
            .filter(|&o| is_else(self, o))
            .collect();
        if let [kept, again, ..] = elses[..] {
            let spans = [kept, again].map(|s| first(self, s).map(|n| self.skeleton.node(n).span));
            if let [Some(kept), Some(again)] = spans {
                self.report(
                    Diagnostic::error(
                        Code::DuplicateElse,
                        again,
                        "a second `else` in the same selection",
                    )
                    .secondary(kept, "the first one"),
                );
            }
        }
        let Some(&kept) = elses.first() else {
            return options;
        };
        let with_channels = options
            .iter()
            .filter(|&&o| o != kept)
            .filter_map(|&o| first(self, o))
            .any(|n| self.skeleton.node(n).depends_on_channel_space());
        if with_channels && let Some(node) = first(self, kept) {
            let span = self.skeleton.node(node).span;
            self.elses_with_channels.push(span);
        }
        options.retain(|&o| o != kept);
        options.push(kept);
        options
    }

    /// Adds a synthetic basic statement behind the current sequence.
    pub(super) fn append_leaf(&mut self, node: NodeId) {
        self.skeleton.append(node);
    }
}
