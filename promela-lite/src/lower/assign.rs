//! Assignments: to variables, to `_`, to the priority of a process; and the values that do not fit.

use super::Lower;
use super::emit::Emit;
use super::place::{Special, Target};
use super::scope::Context;
use super::skeleton::NodeId;
use crate::ast::{self, Expr};
use crate::code::{BinOp, Cell, Instr, Region, Scalar};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::text::Text;

impl<'a> Lower<'a> {
    /// `var = value`
    pub(super) fn assign_expr(
        &mut self,
        var: &'a ast::VarRef,
        value: &'a Expr,
        span: Span,
        text: String,
    ) -> NodeId {
        self.check_probe(value, false);
        self.check_channel_operands(value);
        self.assign(var, span, text, Some(value), |lower, emit| {
            lower.expr(emit, value);
        })
    }

    /// `var = constant`
    pub(super) fn assign_value(&mut self, var: &'a ast::VarRef, value: i32, span: Span) -> NodeId {
        let left = Text::of_var(&self.session.symbols, var);
        self.assign(var, span, format!("{left} = {value}"), None, |_, emit| {
            emit.push(Instr::Const(value))
        })
    }

    /// `var = var ± 1`
    pub(super) fn step_by(
        &mut self,
        var: &'a ast::VarRef,
        by: i32,
        span: Span,
        text: String,
    ) -> NodeId {
        let op = if by > 0 { BinOp::Add } else { BinOp::Sub };
        if let Some(target) = self
            .special(var)
            .is_none()
            .then(|| self.target(var))
            .flatten()
            && target.ty.ty.is_chan()
        {
            self.report(Diagnostic::error(
                Code::ChannelArithmetic,
                var.span,
                "a channel is not a number",
            ));
        }
        self.assign(var, span, text, None, |lower, emit| {
            if let Some(target) = lower.target(var) {
                lower.load(emit, &target);
            }
            emit.push(Instr::Const(1));
            emit.push(Instr::Binary(op, span));
        })
    }

    pub(super) fn assign(
        &mut self,
        var: &'a ast::VarRef,
        span: Span,
        text: String,
        value_expr: Option<&Expr>,
        value: impl FnOnce(&mut Self, &mut Emit),
    ) -> NodeId {
        if self.context == Context::Claim {
            self.report(
                Diagnostic::warning(Code::ClaimAssigns, span, "a never claim changes the state")
                    .help("a claim should only observe the system"),
            );
        }
        let mut emit = Emit::default();
        match self.special(var) {
            Some(Special::Scratch) => {
                value(self, &mut emit);
                let scratch = self.scratch();
                emit.push(Instr::Store(scratch));
            }
            Some(Special::Priority) => {
                emit.push(Instr::SelfPid);
                value(self, &mut emit);
                self.set_priority(&mut emit, span);
            }
            Some(_) => {
                let name = Text::of_var(&self.session.symbols, var);
                self.report(
                    Diagnostic::error(
                        Code::ReadOnly,
                        var.span,
                        format!("`{name}` cannot be assigned to"),
                    )
                    .label("kept by the system"),
                );
            }
            None => {
                if let Some(target) = self.target(var) {
                    // SPIN looks at variables only: a field may be reset by a number.
                    if target.ty.ty.is_chan()
                        && var.path.len() == 1
                        && value_expr.is_some_and(|e| self.constant(e).is_some())
                    {
                        self.report(
                            Diagnostic::error(
                                Code::ChannelArithmetic,
                                span,
                                "a number is assigned to a channel",
                            )
                            .help("assign another channel, or initialise it where it is declared"),
                        );
                    }
                    if let (Some(e), Some((_, mtype)), 1) =
                        (value_expr, target.scalar(), var.path.len())
                    {
                        self.check_mtype(mtype, e);
                    }
                    self.warn_truncation(&target, value_expr);
                    self.store(&mut emit, &target, value);
                }
            }
        }
        self.effect(emit, span, text)
    }

    /// A constant that the variable cannot hold.
    pub(super) fn warn_truncation(&mut self, target: &Target<'_>, value: Option<&Expr>) {
        let (Some((scalar, _)), Some(e)) = (target.scalar(), value) else {
            return;
        };
        let Some(value) = self.constant(e) else {
            return;
        };
        let kept = scalar.truncate(value);
        if kept != value && scalar != Scalar::Chan {
            self.report(
                Diagnostic::warning(
                    Code::ValueTruncated,
                    e.span,
                    format!("{value} does not fit the variable"),
                )
                .label(format!("{kept} is stored")),
            );
        }
    }

    /// Where what is assigned to `_` goes.
    pub(super) fn scratch(&mut self) -> Cell {
        if let Some(cell) = self.scratch {
            return cell;
        }
        let frame = &mut self.program.hidden;
        let cell = Cell {
            region: Region::Hidden,
            offset: frame.size,
            ty: Scalar::Int,
        };
        frame.size += Scalar::Int.size();
        self.scratch = Some(cell);
        cell
    }
}
