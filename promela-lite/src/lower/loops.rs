//! `for` and `select`: as SPIN does it, a `do` loop, or an `if` for a short range, out of steps with a counter.

use super::Lower;
use super::place::Target;
use super::skeleton::{Jump, NodeId, NodeKind};
use super::stmt::Prepared;
use super::types::Ty;
use crate::ast::{self, Block, Expr, ExprKind};
use crate::code::Instr;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{ExpansionKind, Span};
use crate::text::Text;

impl<'a> Lower<'a> {
    pub(super) fn for_range(
        &mut self,
        var: &'a ast::VarRef,
        from: &'a Expr,
        to: &'a Expr,
        body: &'a Block,
        span: Span,
    ) -> Prepared<'a> {
        let exit = self.skeleton.enter_loop();
        self.check_range(from, to);
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

    pub(super) fn for_in(
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
        if let Some(len) = target.ty.len {
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
                        |_, emit| emit.push(Instr::Const(last)),
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

    /// `select (i : a .. b)`: as SPIN, an `if` for a short constant range, else a loop that may stop anywhere.
    pub(super) fn select(
        &mut self,
        var: &'a ast::VarRef,
        from: &'a Expr,
        to: &'a Expr,
        span: Span,
    ) -> Prepared<'a> {
        if !self.check_counter(var) {
            return Prepared::Nothing;
        }
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
        self.check_range(from, to);
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

    /// As SPIN: two numbers in the wrong order are refused; what takes a calculation may come out as an empty range.
    fn check_range(&mut self, from: &Expr, to: &Expr) {
        let (Some(a), Some(b)) = (self.constant(from), self.constant(to)) else {
            return;
        };
        if a <= b {
            return;
        }
        let span = from.span.to(to.span);
        let message = "this range is empty";
        let diagnostic = match (literal(from), literal(to)) {
            (Some(_), Some(_)) => Diagnostic::error(Code::EmptyRange, span, message),
            _ => Diagnostic::warning(Code::EmptyLoop, span, message),
        };
        self.report(diagnostic.label(format!("{a} is more than {b}")));
    }

    /// Adds the statement that a `for` or `select` starts with.
    fn append_start(&mut self, node: NodeId) {
        self.skeleton.node_mut(node).written = true;
        self.append_leaf(node);
    }

    fn append_break(&mut self, exit: usize, span: Span) {
        let jump = self
            .skeleton
            .make(NodeKind::Goto(Jump::Break(exit)), span, "break");
        self.append_leaf(jump);
    }

    /// The increment of a `for` or `select`.
    fn count_up(&mut self, var: &'a ast::VarRef, span: Span) -> NodeId {
        let text = Text::of_increment(&self.session.symbols, var);
        self.step_by(var, 1, span, text)
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
            .is_some_and(|e| e.kind == ExpansionKind::Inline)
    }
}

/// The number, if one is written out.
fn literal(e: &Expr) -> Option<i32> {
    match *e.kind {
        ExprKind::Number(n) if n >= 0 => Some(n),
        _ => None,
    }
}
