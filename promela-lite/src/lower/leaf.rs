//! Basic statements: one element each.

use super::Lower;
use super::emit::Emit;
use super::place::Special;
use super::scope::{Context, Entity};
use super::skeleton::{Jump, NodeId, NodeKind};
use super::types::{Ty, VarEntity, VarTy};
use crate::ast::{self, Expr, ExprKind, Stmt, StmtKind};
use crate::code::{BinOp, Cell, Instr, Region, Scalar};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Access, Action, Footprint, NamedCell, Place, Var, VarId, Visibility};
use crate::source::Span;
use crate::text::Text;
use std::borrow::Cow;

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
    fn node(
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

    fn effect(&mut self, emit: Emit, span: Span, text: impl Into<Cow<'static, str>>) -> NodeId {
        let empty = emit.is_empty();
        let (code, footprint) = emit.finish(&mut self.program);
        let action = if empty {
            Action::Skip
        } else {
            Action::Effect(code)
        };
        self.node(NodeKind::Plain(action), span, text, footprint)
    }

    fn guard(&mut self, emit: Emit, span: Span, text: impl Into<Cow<'static, str>>) -> NodeId {
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
                self.skeleton.labels.mention(label.symbol, scope);
                self.jumps.push(*label);
                self.node(
                    NodeKind::Goto(Jump::Label(*label, scope)),
                    span,
                    text,
                    Footprint::default(),
                )
            }
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
            StmtKind::Break | StmtKind::Goto(_) | StmtKind::Else => true,
            StmtKind::Expr(e) => self.constant(e) == Some(1),
            _ => false,
        };
        if !event {
            self.report(
                Diagnostic::error(Code::NotAnEvent, stmt.span, "this is not an event")
                    .help("a trace consists of sends `c!…` and receives `c?…`, joined by `if`, `do` and `goto`"),
            );
        }
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

    fn set_priority(&mut self, emit: &mut Emit, span: Span) {
        self.program.features.priorities = true;
        emit.footprint.specials.writes_priority = true;
        emit.footprint.specials.can_fail = true;
        emit.push(Instr::SetPriority(span));
    }

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

    fn assign(
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
    pub(super) fn warn_truncation(
        &mut self,
        target: &super::place::Target<'_>,
        value: Option<&Expr>,
    ) {
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
        self.channel(&mut emit, chan, crate::program::ChanAccess::Len);
        emit.push(Instr::Query(crate::code::ChanQuery::Len, chan.span));
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

    /// The step that sets a variable declared in the middle of a body to its first value.
    pub(super) fn redeclare(
        &mut self,
        name: &str,
        var: VarEntity,
        value: Option<&'a ast::Initialiser>,
        span: Span,
    ) -> NodeId {
        let mut emit = Emit::default();
        self.initialise(&mut emit, var, value, true);
        let shown = match value {
            Some(ast::Initialiser::Expr(e)) => Text::of_expr(&self.session.symbols, e),
            Some(ast::Initialiser::List(..)) => "{…}".to_string(),
            _ => "0".to_string(),
        };
        let index = if var.ty.len.is_some() { "[0]" } else { "" };
        self.effect(emit, span, format!("{name}{index} = {shown}"))
    }

    /// Emits the stores that give a variable its first value.
    pub(super) fn initialise(
        &mut self,
        emit: &mut Emit,
        var: VarEntity,
        value: Option<&'a ast::Initialiser>,
        again: bool,
    ) {
        let place = match var.region {
            Region::Global => Place::Global,
            Region::Hidden => Place::Hidden,
            Region::Local => Place::Own,
        };
        let Ty::Scalar { scalar, .. } = var.ty.ty else {
            self.initialise_fields(emit, var);
            return;
        };
        let stride = scalar.size();
        let count = var.ty.len.unwrap_or(1);
        let cell = |i: u32| Cell {
            region: var.region,
            offset: var.offset + i * stride,
            ty: scalar,
        };
        let store = |emit: &mut Emit, i: u32| {
            let at = cell(i);
            emit.footprint.write(Access {
                place,
                lo: at.offset,
                hi: at.offset + stride,
            });
            emit.push(Instr::Store(at));
        };
        match value {
            None => {
                // As SPIN: only the first element of an array is set again.
                if again {
                    emit.push(Instr::Const(0));
                    store(emit, 0);
                }
            }
            Some(ast::Initialiser::Expr(e)) => {
                let value = self.expr(emit, e);
                store(emit, 0);
                for i in 1..count {
                    emit.push(repeated(value, cell(0)));
                    store(emit, i);
                }
            }
            Some(ast::Initialiser::List(values, span)) => {
                if var.ty.len.is_some() && values.len() as u64 > u64::from(count) {
                    self.report(
                        Diagnostic::warning(
                            Code::TooManyValues,
                            *span,
                            "there are more values than elements",
                        )
                        .label(format!(
                            "{} values for {count}; the others are ignored",
                            values.len()
                        )),
                    );
                }
                // The last value is repeated for the elements that have none.
                let mut value = None;
                for i in 0..count {
                    match (values.get(i as usize), values.len().checked_sub(1)) {
                        (Some(e), _) => value = self.expr(emit, e),
                        (None, Some(last)) => emit.push(repeated(value, cell(last as u32))),
                        (None, None) => continue,
                    }
                    store(emit, i);
                }
            }
            Some(init @ ast::Initialiser::Chan { .. }) => {
                let name = self.current_name;
                if let Some(template) = name.and_then(|name| self.template(name, init)) {
                    self.shapes
                        .insert((var.region, self.frame_owner(var.region), var.id), template);
                    for i in 0..count {
                        emit.push(Instr::NewChan(template));
                        store(emit, i);
                        self.new_channels += 1;
                    }
                }
            }
        }
    }

    /// Fields of a structure may have initialisers of their own.
    fn initialise_fields(&mut self, emit: &mut Emit, var: VarEntity) {
        let Ty::Struct(id) = var.ty.ty else { return };
        let size = self.size_of(var.ty.ty);
        for element in 0..var.ty.len.unwrap_or(1) {
            for field in 0..self.structs[id.0 as usize].fields.len() {
                let field = &self.structs[id.0 as usize].fields[field];
                let (ty, offset, decl): (VarTy, u32, &'a ast::Declarator) =
                    (field.ty, field.offset, field.decl);
                let nested = matches!(ty.ty, Ty::Struct(_));
                if decl.init.is_none() && !nested {
                    continue;
                }
                let part = VarEntity {
                    offset: var.offset + element * size + offset,
                    ty,
                    id: VarId(u32::MAX),
                    ..var
                };
                self.current_name = Some(decl.name);
                self.initialise(emit, part, decl.init.as_ref(), false);
            }
        }
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

/// The value of an expression a second time: as a constant, or from where it was stored. The expression itself may be
/// long, and the array too.
fn repeated(value: Option<i32>, stored: Cell) -> Instr {
    value.map_or(Instr::Load(stored), Instr::Const)
}
