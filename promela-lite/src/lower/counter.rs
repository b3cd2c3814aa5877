//! The implicit steps of `for` and `select`: tests of a counter, and the rotation of a channel.

use super::Lower;
use super::emit::Emit;
use super::skeleton::{NodeId, NodeKind};
use crate::ast::{self, Expr, ExprKind};
use crate::code::{BinOp, Cell, ChanQuery, Instr, Region, Scalar};
use crate::program::{Access, Action, ChanAccess, Footprint, NamedCell, Place, Var, Visibility};
use crate::source::Span;
use crate::text::Text;

/// A counter that `for (m in c)` needs and the model does not see.
#[derive(Copy, Clone)]
pub(super) struct Counter(Cell);

impl Counter {
    fn access(self) -> Access {
        Access {
            place: Place::Own,
            lo: self.0.offset,
            hi: self.0.offset + self.0.ty.size(),
        }
    }
}

impl<'a> Lower<'a> {
    /// `(var op limit)` as a guard.
    pub(super) fn compare(
        &mut self,
        var: &'a ast::VarRef,
        sign: &str,
        limit: impl FnOnce(&mut Self, &mut Emit),
        limit_text: &str,
        span: Span,
    ) -> NodeId {
        let left = Text::of_var(&self.session.symbols, var);
        let op = if sign == "<" { BinOp::Lt } else { BinOp::Le };
        let mut emit = Emit::default();
        if let Some(target) = self.target(var) {
            self.load(&mut emit, &target);
        } else {
            emit.push(Instr::Const(0));
        }
        limit(self, &mut emit);
        emit.push(Instr::Binary(op, span));
        self.guard(emit, span, format!("(({left}{sign}{limit_text}))"))
    }

    pub(super) fn hidden_counter(&mut self, span: Span) -> Counter {
        let cell = Cell {
            region: Region::Local,
            offset: self.frame.size,
            ty: Scalar::Short,
        };
        self.frame.size += cell.ty.size();
        self.frame.vars.push(Var {
            name: "_for".to_string(),
            scope: self.scope_path(),
            offset: cell.offset,
            size: cell.ty.size(),
            cells: vec![NamedCell {
                path: String::new(),
                offset: cell.offset,
                ty: cell.ty,
                mtype: None,
            }],
            span,
            visibility: Visibility::Plain,
            parameter: false,
        });
        Counter(cell)
    }

    pub(super) fn counter_start(&mut self, counter: Counter, span: Span) -> NodeId {
        let mut emit = Emit::default();
        emit.push(Instr::Const(0));
        emit.push(Instr::Store(counter.0));
        emit.footprint.write(counter.access());
        self.effect(emit, span, "_for = 0")
    }

    pub(super) fn counter_step(&mut self, counter: Counter, span: Span) -> NodeId {
        let mut emit = Emit::default();
        emit.push(Instr::Load(counter.0));
        emit.push(Instr::Const(1));
        emit.push(Instr::Binary(BinOp::Add, span));
        emit.push(Instr::Store(counter.0));
        emit.footprint.read(counter.access());
        emit.footprint.write(counter.access());
        self.effect(emit, span, "_for = (_for+1)")
    }

    pub(super) fn counter_test(
        &mut self,
        counter: Counter,
        chan: &'a ast::VarRef,
        span: Span,
    ) -> NodeId {
        let text = Text::of_var(&self.session.symbols, chan);
        let mut emit = Emit::default();
        emit.push(Instr::Load(counter.0));
        emit.footprint.read(counter.access());
        self.channel(&mut emit, chan, ChanAccess::Len);
        emit.push(Instr::Query(ChanQuery::Len, chan.span));
        emit.push(Instr::Binary(BinOp::Lt, span));
        self.guard(emit, span, format!("((_for<len({text})))"))
    }

    pub(super) fn rotate_receive(
        &mut self,
        var: &'a ast::VarRef,
        chan: &'a ast::VarRef,
        span: Span,
    ) -> NodeId {
        let mut footprint = Footprint::default();
        let names = (
            Text::of_var(&self.session.symbols, chan),
            Text::of_var(&self.session.symbols, var),
        );
        let arguments = [ast::RecvArg::Var(var.clone())];
        let id = self.recv(
            chan,
            &arguments,
            (false, false, false),
            span,
            &mut footprint,
        );
        self.node(
            NodeKind::Plain(Action::Recv(id)),
            span,
            format!("{}?{}", names.0, names.1),
            footprint,
        )
    }

    pub(super) fn rotate_send(
        &mut self,
        var: &'a ast::VarRef,
        chan: &'a ast::VarRef,
        span: Span,
    ) -> NodeId {
        let mut footprint = Footprint::default();
        let names = (
            Text::of_var(&self.session.symbols, chan),
            Text::of_var(&self.session.symbols, var),
        );
        let arguments = [Expr {
            span: var.span,
            depth: 1,
            kind: Box::new(ExprKind::Var(var.clone())),
        }];
        let id = self.send(chan, &arguments, false, span, &mut footprint);
        self.node(
            NodeKind::Plain(Action::Send(id)),
            span,
            format!("{}!{}", names.0, names.1),
            footprint,
        )
    }
}
