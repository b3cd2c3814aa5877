//! Basic statements: one element each.

use super::Lower;
use super::emit::Emit;
use super::scope::{Context, Entity};
use super::skeleton::{Jump, NodeId, NodeKind};
use crate::ast::{self, Expr, ExprKind, Stmt, StmtKind};
use crate::code::Instr;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Action, Footprint};
use crate::source::Span;
use crate::text::Text;
use std::borrow::Cow;

impl<'a> Lower<'a> {
    pub(super) fn node(
        &mut self,
        kind: NodeKind,
        span: Span,
        text: impl Into<Cow<'static, str>>,
        footprint: Footprint,
    ) -> NodeId {
        let id = self.skeleton.make(kind, span, text);
        self.skeleton.node_mut(id).footprint = footprint;
        id
    }

    pub(super) fn effect(
        &mut self,
        emit: Emit,
        span: Span,
        text: impl Into<Cow<'static, str>>,
    ) -> NodeId {
        let empty = emit.is_empty();
        let (code, footprint) = emit.finish(&mut self.program);
        let action = if empty {
            Action::Skip
        } else {
            Action::Effect(code)
        };
        self.node(NodeKind::Plain(action), span, text, footprint)
    }

    pub(super) fn guard(
        &mut self,
        emit: Emit,
        span: Span,
        text: impl Into<Cow<'static, str>>,
    ) -> NodeId {
        let (code, footprint) = emit.finish(&mut self.program);
        self.node(NodeKind::Plain(Action::Guard(code)), span, text, footprint)
    }

    /// Makes the element of a basic statement.
    pub(super) fn leaf(&mut self, stmt: &'a Stmt) -> NodeId {
        let text = Text::of_stmt(&self.session.symbols, &stmt.kind);
        let span = stmt.span;
        self.check_event(stmt);
        match &stmt.kind {
            StmtKind::Assign(var, value) => self.assign_expr(var, value, span, text),
            StmtKind::Increment(var) => self.step_by(var, 1, span, text),
            StmtKind::Decrement(var) => self.step_by(var, -1, span, text),
            StmtKind::Send { chan, args, sorted } => {
                self.check_claim_io(span);
                let mut footprint = Footprint::default();
                let id = self.send(chan, args, *sorted, span, &mut footprint);
                self.node(NodeKind::Plain(Action::Send(id)), span, text, footprint)
            }
            StmtKind::Recv {
                chan,
                args,
                random,
                peek,
            } => {
                self.check_claim_io(span);
                let mut footprint = Footprint::default();
                let id = self.recv(chan, args, (*random, *peek, false), span, &mut footprint);
                self.node(NodeKind::Plain(Action::Recv(id)), span, text, footprint)
            }
            StmtKind::Break => match self.skeleton.loops.last() {
                Some(&exit) => self.node(
                    NodeKind::Goto(Jump::Break(exit)),
                    span,
                    text,
                    Footprint::default(),
                ),
                None => {
                    self.report(
                        Diagnostic::error(
                            Code::BreakOutsideLoop,
                            span,
                            "`break` outside of a loop",
                        )
                        .help("`break` leaves the innermost `do`, `for` or `select` around it"),
                    );
                    self.node(
                        NodeKind::Plain(Action::Skip),
                        span,
                        text,
                        Footprint::default(),
                    )
                }
            },
            StmtKind::Goto(label) => {
                let scope = self.label_scope();
                let home = self.skeleton.labels.mention(label.symbol, scope);
                self.jumps.push(*label);
                self.node(
                    NodeKind::Goto(Jump::Label(*label, home)),
                    span,
                    text,
                    Footprint::default(),
                )
            }
            StmtKind::Call { result, name, args } => {
                self.call((*name, args), result.is_some(), span, text)
            }
            StmtKind::Return(value) => self.return_(value.as_ref(), span, text),
            StmtKind::Assert(e) => {
                self.check_probe(e, false);
                let mut emit = Emit::default();
                if self.expr(&mut emit, e).is_some_and(|v| v != 0) {
                    self.report(Diagnostic::warning(
                        Code::ConstantAssertion,
                        e.span,
                        "this assertion can never fail",
                    ));
                }
                emit.push(Instr::Assert(e.span));
                emit.footprint.specials.asserts = true;
                self.effect(emit, span, text)
            }
            StmtKind::Printf(format, args) => self.printf(*format, args, span, text),
            StmtKind::Printm(e) => {
                let set = self.mtype_of(e).unwrap_or(0);
                let mut emit = Emit::default();
                self.expr(&mut emit, e);
                emit.push(Instr::PrintMtype(set));
                emit.footprint.specials.prints = true;
                self.effect(emit, span, text)
            }
            StmtKind::SetPriority(pid, value) => {
                let mut emit = Emit::default();
                self.expr(&mut emit, pid);
                self.expr(&mut emit, value);
                self.set_priority(&mut emit, span);
                self.effect(emit, span, text)
            }
            StmtKind::Else => self.node(NodeKind::Else, span, text, Footprint::default()),
            StmtKind::Expr(e) => self.condition(e, span, text),
            _ => self.node(
                NodeKind::Plain(Action::Skip),
                span,
                text,
                Footprint::default(),
            ),
        }
    }

    /// A trace consists of events: sends, receives and jumps among them.
    fn check_event(&mut self, stmt: &Stmt) {
        if self.context != Context::Trace {
            return;
        }
        let event = match &stmt.kind {
            StmtKind::Send { sorted: false, .. }
            | StmtKind::Recv {
                peek: false,
                random: false,
                ..
            } => true,
            StmtKind::Break | StmtKind::Goto(_) => true,
            // A label with nothing after it.
            StmtKind::Expr(_) => stmt.labels.iter().any(|label| label.span == stmt.span),
            _ => false,
        };
        if !event {
            self.not_an_event(stmt.span);
        }
    }

    /// Complains about what cannot be part of a trace.
    pub(super) fn not_an_event(&mut self, span: Span) {
        self.report(
            Diagnostic::error(Code::NotAnEvent, span, "this is not an event")
                .help("a trace consists of sends `c!…` and receives `c?…`, joined by `if`, `do` and `goto`"),
        );
    }

    fn check_claim_io(&mut self, span: Span) {
        if self.context == Context::Claim {
            self.report(
                Diagnostic::error(
                    Code::ClaimSideEffect,
                    span,
                    "a never claim cannot send or receive",
                )
                .help("a claim observes: use `c?[…]`, `len(c)` and conditions"),
            );
        }
    }

    fn condition(&mut self, e: &Expr, span: Span, text: String) -> NodeId {
        if self.is_skip(e) {
            return self.node(
                NodeKind::Plain(Action::Skip),
                span,
                text,
                Footprint::default(),
            );
        }
        self.check_probe(e, false);
        self.check_run_alone(e);
        let mut emit = Emit::default();
        let value = self.expr(&mut emit, e);
        if let Some(value) = value
            && !matches!(*e.kind, ExprKind::Bool(_) | ExprKind::Number(0 | 1))
        {
            let message = if value == 0 {
                "this condition is never true"
            } else {
                "this condition is always true"
            };
            self.report(Diagnostic::warning(Code::ConstantGuard, e.span, message));
        }
        self.guard(emit, span, text)
    }

    /// Code counts values by 16 bits.
    pub(super) fn check_count(&mut self, count: usize, span: Span, what: &str) {
        if count > usize::from(u16::MAX) {
            let message = format!("{count} {what}; at most {} are possible", u16::MAX);
            self.report(Diagnostic::error(Code::TooMany, span, message));
        }
    }

    /// Whether a condition is the constant 1 as it is written: SPIN counts `skip`s, and does not compute for that.
    fn is_skip(&self, e: &Expr) -> bool {
        match &*e.kind {
            ExprKind::Bool(value) => *value,
            ExprKind::Number(value) => *value == 1,
            ExprKind::Var(var) => {
                let [ast::Segment { name, index: None }] = &var.path[..] else {
                    return false;
                };
                matches!(
                    self.lookup(name.symbol),
                    Some(Entity::Constant { value: 1, .. })
                )
            }
            _ => false,
        }
    }

    /// `full`, `empty` and their negations can only be combined by `&&` and `||`, as in SPIN: their negation has a name.
    pub(super) fn check_probe(&mut self, e: &Expr, inside: bool) {
        match &*e.kind {
            ExprKind::Query(query, _) if inside && *query != ast::ChanQuery::Len => {
                let (word, opposite) = match query {
                    ast::ChanQuery::Full => ("full", "nfull"),
                    ast::ChanQuery::Nfull => ("nfull", "full"),
                    ast::ChanQuery::Empty => ("empty", "nempty"),
                    _ => ("nempty", "empty"),
                };
                self.report(
                    Diagnostic::error(
                        Code::NegatedProbe,
                        e.span,
                        format!("`{word}` cannot be part of this expression"),
                    )
                    .help(format!(
                        "combine it by `&&` and `||` only; its negation is `{opposite}`"
                    )),
                );
            }
            ExprKind::Binary(ast::Binary::And | ast::Binary::Or, a, b) => {
                self.check_probe(a, inside);
                self.check_probe(b, inside);
            }
            ExprKind::Binary(_, a, b) => {
                self.check_probe(a, true);
                self.check_probe(b, true);
            }
            ExprKind::Unary(_, a) => self.check_probe(a, true),
            ExprKind::Conditional(c, a, b) => [c, a, b]
                .into_iter()
                .for_each(|e| self.check_probe(e, true)),
            _ => {}
        }
    }

    fn printf(
        &mut self,
        format: crate::symbol::Symbol,
        args: &'a [Expr],
        span: Span,
        text: String,
    ) -> NodeId {
        let format = self.text(format).to_string();
        let expected = conversions(&format);
        if expected != args.len() {
            self.report(
                Diagnostic::warning(
                    Code::PrintfArguments,
                    span,
                    "the arguments do not fit the format",
                )
                .label(format!("{} given, the format has {expected}", args.len())),
            );
        }
        let count = self.argument_count(args.len(), span);
        let mut emit = Emit::default();
        for arg in &args[..usize::from(count)] {
            self.check_probe(arg, true);
            self.expr(&mut emit, arg);
        }
        let index = self.program.formats.len() as u32;
        self.program.formats.push(format);
        self.check_count(args.len(), span, "values are printed");
        emit.push(Instr::Print {
            format: index,
            args: count,
        });
        emit.footprint.specials.prints = true;
        self.effect(emit, span, text)
    }

    fn mtype_of(&mut self, e: &Expr) -> Option<u32> {
        let ExprKind::Var(var) = &*e.kind else {
            return None;
        };
        match self.lookup(var.path[0].name.symbol)? {
            Entity::Constant { set, .. } => Some(set),
            Entity::Var(_) => self.target(var)?.scalar()?.1,
        }
    }

    pub(super) fn set_priority(&mut self, emit: &mut Emit, span: Span) {
        self.program.features.priorities = true;
        emit.footprint.specials.writes_priority = true;
        emit.footprint.specials.can_fail = true;
        emit.push(Instr::SetPriority(span));
    }
}

/// Number of conversions (`%d` and the like) in a format.
fn conversions(format: &str) -> usize {
    let mut chars = format.chars();
    let mut count = 0;
    while let Some(c) = chars.next() {
        if c == '%' && chars.next().is_some_and(|next| next != '%') {
            count += 1;
        }
    }
    count
}
