//! Statements: to elements of the skeleton.
//!
//! A statement is lowered in two moves, as SPIN's parser does it: [`Lower::prepare`] lowers the sequences inside it, then
//! [`Lower::add`] makes its own elements and links them.

use super::Lower;
use super::labels::{Label, ScopeId};
use super::place::Target;
use super::scope::{Context, Entity};
use super::skeleton::{Jump, NodeId, NodeKind, SeqId};
use super::types::Ty;
use crate::ast::{self, Block, Expr, ExprKind, Name, Stmt, StmtKind};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::Action;
use crate::source::Span;
use crate::text::Text;

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
enum Brace {
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

    fn check_first_label(&mut self, brace: Brace) {
        let Some(first) = self.skeleton.first_of_open() else {
            return;
        };
        let Some(label) = self.skeleton.labels.at(first).next() else {
            return;
        };
        let (name, span) = (self.text(label.name).to_string(), label.span);
        let (what, instead) = match brace {
            Brace::Body => return,
            Brace::Atomic => ("an atomic sequence", "atomic { … }"),
            Brace::DStep => ("a d_step", "d_step { … }"),
            Brace::Block => ("a block", "{ … }"),
            Brace::Unless => ("a part of `unless`", "{ … unless … }"),
            Brace::Option => {
                return self.report(
                    Diagnostic::warning(
                        Code::LabelOnOption,
                        span,
                        format!("the label `{name}` stands on the first statement of an option"),
                    )
                    .label("a process never rests here")
                    .help("put the label before the `if` or `do`, or insert `true ->` before the labelled statement"),
                );
            }
        };
        self.report(
            Diagnostic::error(
                Code::MisplacedLabel,
                span,
                format!("the label `{name}` stands first inside {what}"),
            )
            .label("a process never rests here")
            .help(format!("put it in front of the whole: `{name}: {instead}`")),
        );
    }

    pub(super) fn stmt(&mut self, stmt: &'a Stmt) {
        let prepared = self.prepare(stmt);
        self.add(prepared, stmt.span, &stmt.labels);
        if !matches!(stmt.kind, StmtKind::Decl(_) | StmtKind::Exclusive { .. }) {
            self.initialisers = false;
        }
    }

    /// Lowers the sequences inside a statement.
    fn prepare(&mut self, stmt: &'a Stmt) -> Prepared<'a> {
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
                (node, false)
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

    fn set_label(&mut self, label: Name, node: NodeId) {
        if let Some(entity) = self.lookup(label.symbol) {
            let span = match entity {
                Entity::Var(var) => var.span,
                Entity::Constant { .. } => self.scopes.globals[&label.symbol].span,
            };
            return self.duplicate(label, span);
        }
        let scope = self.label_scope();
        let new = Label {
            name: label.symbol,
            span: label.span,
            node,
        };
        if let Err(earlier) = self.skeleton.labels.add(new, scope) {
            self.duplicate(label, earlier);
        }
    }

    /// The current nesting of blocks, noted for labels and jumps.
    pub(super) fn label_scope(&mut self) -> ScopeId {
        self.skeleton.labels.scope(self.scopes.path())
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

    /// The same, for the statement that a `for` or `select` starts with.
    fn append_start(&mut self, node: NodeId) {
        self.skeleton.node_mut(node).written = true;
        self.append_leaf(node);
    }

    fn for_range(
        &mut self,
        var: &'a ast::VarRef,
        from: &'a Expr,
        to: &'a Expr,
        body: &'a Block,
        span: Span,
    ) -> Prepared<'a> {
        let exit = self.skeleton.enter_loop();
        if let (Some(a), Some(b)) = (self.constant(from), self.constant(to))
            && a > b
        {
            self.report(
                Diagnostic::error(
                    Code::EmptyRange,
                    from.span.to(to.span),
                    "this range is empty",
                )
                .label(format!("{a} is more than {b}")),
            );
        }
        if !self.check_counter(var) {
            self.skeleton.loops.pop();
            return Prepared::Nothing;
        }
        let text = Text::of_assignment(&self.session.symbols, var, from);
        let start = self.assign_expr(var, from, span, text);
        self.append_start(start);
        self.loop_body(
            body,
            span,
            exit,
            |lower| {
                let condition = lower.compare(
                    var,
                    "<=",
                    |lower, emit| {
                        lower.expr(emit, to);
                    },
                    &Text::of_expr(&lower.session.symbols, to),
                    span,
                );
                lower.append_leaf(condition);
                vec![]
            },
            |lower| lower.count_up(var, span),
        )
    }

    /// The increment of a `for` or `select`.
    fn count_up(&mut self, var: &'a ast::VarRef, span: Span) -> NodeId {
        let text = Text::of_increment(&self.session.symbols, var);
        self.step_by(var, 1, span, text)
    }

    /// A loop `do :: head; body; step :: else -> break od`.
    fn loop_body(
        &mut self,
        body: &'a Block,
        span: Span,
        exit: usize,
        head: impl FnOnce(&mut Self) -> Vec<NodeId>,
        step: impl FnOnce(&mut Self) -> NodeId,
    ) -> Prepared<'a> {
        self.skeleton.open();
        self.initialisers = false;
        for node in head(self) {
            self.append_leaf(node);
        }
        self.scopes.open();
        for stmt in &body.stmts {
            self.stmt(stmt);
        }
        self.scopes.close();
        let increment = step(self);
        self.append_leaf(increment);
        let main = self.skeleton.close();
        self.skeleton.open();
        let otherwise = self.skeleton.make(NodeKind::Else, span, "else");
        self.append_leaf(otherwise);
        self.append_break(exit, span);
        let leave = self.skeleton.close();
        self.skeleton.loops.pop();
        Prepared::Do(vec![leave, main], exit)
    }

    fn append_break(&mut self, exit: usize, span: Span) {
        let jump = self
            .skeleton
            .make(NodeKind::Goto(Jump::Break(exit)), span, "break");
        self.append_leaf(jump);
    }

    fn for_in(
        &mut self,
        var: &'a ast::VarRef,
        within: &'a ast::VarRef,
        body: &'a Block,
        span: Span,
    ) -> Prepared<'a> {
        let exit = self.skeleton.enter_loop();
        let Some(target) = self.target(within) else {
            self.skeleton.loops.pop();
            return Prepared::Nothing;
        };
        if let (Some(len), _) = (target.ty.len, ()) {
            if !self.check_counter(var) {
                self.skeleton.loops.pop();
                return Prepared::Nothing;
            }
            let last = len as i32 - 1;
            let start = self.assign_value(var, 0, span);
            self.append_start(start);
            return self.loop_body(
                body,
                span,
                exit,
                |lower| {
                    let condition = lower.compare(
                        var,
                        "<=",
                        |_, emit| emit.push(crate::code::Instr::Const(last)),
                        &last.to_string(),
                        span,
                    );
                    vec![condition]
                },
                |lower| lower.count_up(var, span),
            );
        }
        let counts = self.holds_messages_of(var, &target);
        if target.ty.ty.is_chan() && counts == Some(false) {
            self.report(
                Diagnostic::error(
                    Code::BadForRange,
                    var.span,
                    "this variable cannot hold the messages of the channel",
                )
                .label("not the typedef that the channel carries")
                .help("declare the channel as `[n] of { T }` with a typedef T, and the variable as a T"),
            );
            self.skeleton.loops.pop();
            return Prepared::Nothing;
        }
        if !target.ty.ty.is_chan() {
            self.report(
                Diagnostic::error(
                    Code::BadForRange,
                    within.span,
                    "`for … in` needs an array or a channel",
                )
                .help("for a range of numbers write `for (i : 0 .. n) { … }`"),
            );
            self.skeleton.loops.pop();
            return Prepared::Nothing;
        }
        self.for_messages(var, within, body, span, exit)
    }

    /// Whether the variable is of the one typedef that the buffered channel carries; `None` if it is unknown.
    fn holds_messages_of(&mut self, var: &ast::VarRef, channel: &Target<'_>) -> Option<bool> {
        let variable = self.target(var)?;
        let (Ty::Struct(id), None) = (variable.ty.ty, variable.ty.len) else {
            return Some(false);
        };
        let fits = channel.shape.is_some_and(|shape| {
            let buffered = self.program.templates[shape.index()].capacity > 0;
            buffered && self.carried[shape.index()] == Some(id)
        });
        Some(fits)
    }

    /// `for (m in c)`: rotates the channel once, through a counter that the model does not see.
    fn for_messages(
        &mut self,
        var: &'a ast::VarRef,
        within: &'a ast::VarRef,
        body: &'a Block,
        span: Span,
        exit: usize,
    ) -> Prepared<'a> {
        let counter = self.hidden_counter(span);
        let start = self.counter_start(counter, span);
        self.append_start(start);
        self.loop_body(
            body,
            span,
            exit,
            |lower| {
                vec![
                    lower.counter_test(counter, within, span),
                    lower.rotate_receive(var, within, span),
                    lower.rotate_send(var, within, span),
                ]
            },
            |lower| lower.counter_step(counter, span),
        )
    }

    /// `select (i : a .. b)`: as SPIN, an `if` for a short constant range, else a loop that may stop anywhere.
    fn select(
        &mut self,
        var: &'a ast::VarRef,
        from: &'a Expr,
        to: &'a Expr,
        span: Span,
    ) -> Prepared<'a> {
        if !self.check_counter(var) {
            return Prepared::Nothing;
        }
        let literal = |e: &Expr| match *e.kind {
            ExprKind::Number(n) if n >= 0 => Some(n),
            _ => None,
        };
        let simple_name = var.path.len() == 1
            && var.path[0].index.is_none()
            && self
                .text(var.path[0].name.symbol)
                .bytes()
                .all(|b| b.is_ascii_alphanumeric());
        if let (Some(a), Some(b), true) = (
            literal(from),
            literal(to),
            simple_name && !self.in_inline(span),
        ) {
            if a > b {
                self.report(
                    Diagnostic::error(
                        Code::EmptyRange,
                        from.span.to(to.span),
                        "this range is empty",
                    )
                    .label(format!("{a} is more than {b}")),
                );
                return Prepared::Nothing;
            }
            if b - a <= 32 {
                let options = (a..=b).map(|value| {
                    self.skeleton.open();
                    let node = self.assign_value(var, value, span);
                    self.append_start(node);
                    self.skeleton.close()
                });
                return Prepared::If(options.collect());
            }
        }
        let text = Text::of_assignment(&self.session.symbols, var, from);
        let start = self.assign_expr(var, from, span, text);
        self.append_start(start);
        let exit = self.skeleton.enter_loop();
        self.skeleton.open();
        let text = Text::of_expr(&self.session.symbols, to);
        let condition = self.compare(
            var,
            "<",
            |lower, emit| {
                lower.expr(emit, to);
            },
            &text,
            span,
        );
        self.append_leaf(condition);
        let increment = self.count_up(var, span);
        self.append_leaf(increment);
        let main = self.skeleton.close();
        self.skeleton.open();
        self.append_break(exit, span);
        let leave = self.skeleton.close();
        self.skeleton.loops.pop();
        Prepared::Do(vec![leave, main], exit)
    }

    /// The variable of `for` and `select` must be a plain number: as in SPIN, no element and no field.
    fn check_counter(&mut self, var: &ast::VarRef) -> bool {
        let Some(target) = self.target(var) else {
            return false;
        };
        let plain = matches!(&var.path[..], [segment] if segment.index.is_none());
        let fits = plain && target.scalar().is_some() && !target.ty.ty.is_chan();
        if !fits {
            self.report(
                Diagnostic::error(Code::BadCounter, var.span, "this cannot count")
                    .label("a plain variable that holds a number is needed here"),
            );
        }
        fits
    }

    /// Whether a place comes from an `inline`.
    fn in_inline(&self, span: Span) -> bool {
        self.session
            .sources
            .expansion(span.expn)
            .is_some_and(|e| e.kind == crate::source::ExpansionKind::Inline)
    }
}
