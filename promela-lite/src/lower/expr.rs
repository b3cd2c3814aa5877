//! Expressions: to code that leaves one value.
//!
//! Constants are folded on the way, bottom up, with the arithmetic of the machine (32 bits, wrapping), except where
//! evaluation would be an error: that is left to the run, which reports it with a trail.

use super::Lower;
use super::emit::Emit;
use super::place::Special;
use super::scope::{Context, Entity};
use crate::ast::{self, Binary, Expr, ExprKind, Unary};
use crate::code::{BinOp, ChanQuery, Instr, UnOp};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{ChanAccess, ProctypeId};
use crate::source::Span;

impl<'a> Lower<'a> {
    /// The value of an expression that is constant.
    pub(super) fn constant(&self, e: &Expr) -> Option<i32> {
        match &*e.kind {
            ExprKind::Number(n) => Some(*n),
            ExprKind::Bool(b) => Some(i32::from(*b)),
            ExprKind::Var(var) => match (&var.path[..], self.lookup(var.path[0].name.symbol)) {
                ([segment], Some(Entity::Constant { value, .. })) if segment.index.is_none() => {
                    Some(value)
                }
                _ => None,
            },
            ExprKind::Unary(op, a) => Some(unary_op(*op)?.of(self.constant(a)?)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.constant(a)?, self.constant(b)?);
                match op {
                    Binary::And => Some(i32::from(a != 0 && b != 0)),
                    Binary::Or => Some(i32::from(a != 0 || b != 0)),
                    _ => binary_op(*op)?.checked(a, b),
                }
            }
            ExprKind::Conditional(c, a, b) => {
                if self.constant(c)? != 0 {
                    self.constant(a)
                } else {
                    self.constant(b)
                }
            }
            _ => None,
        }
    }

    /// As [`Lower::constant`]; a variable declared with a constant counts too, as SPIN has it for array bounds.
    pub(super) fn constant_or_initial(&mut self, e: &Expr) -> Option<i32> {
        if let Some(value) = self.constant(e) {
            return Some(value);
        }
        let ExprKind::Var(var) = &*e.kind else {
            return None;
        };
        let [segment] = &var.path[..] else {
            return None;
        };
        let Some(Entity::Var(entity)) = self.lookup(segment.name.symbol) else {
            return None;
        };
        self.used
            .insert((entity.region, self.frame_owner(entity.region), entity.id));
        let value = entity.constant?;
        let name = self.text(segment.name.symbol).to_string();
        self.report(
            Diagnostic::warning(
                Code::VariableAsBound,
                e.span,
                format!("the variable `{name}` is used as a constant"),
            )
            .label(format!("taken as its initial value, {value}"))
            .help(format!("say so: `#define {name} {value}`")),
        );
        Some(value)
    }

    /// Emits code that leaves the value of `e`. Returns the value if it is constant.
    pub(super) fn expr(&mut self, emit: &mut Emit, e: &Expr) -> Option<i32> {
        let value = self.constant_leaf(e);
        if let Some(value) = value {
            emit.push(Instr::Const(value));
            return Some(value);
        }
        match &*e.kind {
            ExprKind::Number(_) | ExprKind::Bool(_) => {}
            ExprKind::Var(var) => self.variable(emit, var),
            ExprKind::Unary(op, a) => match unary_op(*op) {
                Some(op) => return self.unary(emit, op, a),
                None => self.temporal(emit, e.span),
            },
            ExprKind::Binary(op, a, b) => match (op, binary_op(*op)) {
                (Binary::And, _) => self.short_circuit(emit, Instr::AndThen, a, b),
                (Binary::Or, _) => self.short_circuit(emit, Instr::OrElse, a, b),
                (_, Some(op)) => return self.binary(emit, op, a, b, e.span),
                (_, None) => self.temporal(emit, e.span),
            },
            ExprKind::Conditional(c, a, b) => {
                self.expr(emit, c);
                let otherwise = emit.jump(Instr::JumpIfZero);
                self.expr(emit, a);
                let end = emit.jump(Instr::Jump);
                emit.land(otherwise);
                self.expr(emit, b);
                emit.land(end);
            }
            ExprKind::Run {
                name,
                args,
                priority,
            } => self.run(emit, *name, args, *priority, e.span),
            ExprKind::Query(query, chan) => self.query(emit, *query, chan),
            ExprKind::Poll { chan, args, random } => self.poll(emit, chan, args, *random, e.span),
            ExprKind::Enabled(pid) => {
                self.warn_outside_claim(e.span, "enabled");
                self.program.features.enabled = true;
                emit.footprint.specials.enabled = true;
                self.with_pid(emit, pid, Instr::Enabled);
            }
            ExprKind::PcValue(pid) => {
                self.warn_outside_claim(e.span, "pc_value");
                self.program.features.pc_value = true;
                emit.footprint.specials.pc_value = true;
                self.with_pid(emit, pid, Instr::PcValue(e.span));
            }
            ExprKind::GetPriority(pid) => {
                self.program.features.priorities = true;
                emit.footprint.specials.reads_priority = true;
                self.with_pid(emit, pid, Instr::GetPriority(e.span));
            }
            ExprKind::Timeout => {
                self.warn_timeout(e.span);
                if !self.refuse_timeout(e.span) {
                    self.program.features.timeout = true;
                }
                emit.footprint.specials.timeout = true;
                emit.push(Instr::Timeout);
            }
            ExprKind::NonProgress => {
                self.check_non_progress(e.span);
                self.program.features.non_progress = true;
                emit.footprint.specials.non_progress = true;
                emit.push(Instr::NonProgress);
            }
            ExprKind::RemoteLabel {
                proctype,
                index,
                label,
            } => {
                self.remote_label(emit, *proctype, index.as_ref(), *label, e.span);
            }
            ExprKind::RemoteVar {
                proctype,
                index,
                var,
            } => {
                self.remote_var(emit, *proctype, index.as_ref(), var);
            }
            ExprKind::AtLabel(label) => {
                emit.footprint.specials.remote_location = true;
                let set = self.program.anywhere_sets.len() as u32;
                self.program.anywhere_sets.push(Vec::new());
                self.anywhere.push(*label);
                emit.push(Instr::AnywhereAt(set));
            }
            ExprKind::Error => emit.push(Instr::Const(0)),
        }
        None
    }

    /// Leaves are looked at here; larger constants are folded as they are emitted.
    fn constant_leaf(&self, e: &Expr) -> Option<i32> {
        matches!(
            &*e.kind,
            ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Var(_)
        )
        .then(|| self.constant(e))
        .flatten()
    }

    fn unary(&mut self, emit: &mut Emit, op: UnOp, a: &Expr) -> Option<i32> {
        if let Some(value) = self.expr(emit, a) {
            let folded = op.of(value);
            emit.replace_constants(1, folded);
            return Some(folded);
        }
        emit.push(Instr::Unary(op));
        None
    }

    fn binary(
        &mut self,
        emit: &mut Emit,
        op: BinOp,
        a: &Expr,
        b: &Expr,
        span: Span,
    ) -> Option<i32> {
        let left = self.expr(emit, a);
        let right = self.expr(emit, b);
        if let (Some(left), Some(right)) = (left, right)
            && let Some(folded) = op.checked(left, right)
        {
            emit.replace_constants(2, folded);
            return Some(folded);
        }
        if matches!(op, BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr) {
            emit.footprint.specials.can_fail |= right.is_none_or(|r| op.checked(0, r).is_none());
            self.warn_operand(op, right, b.span);
        }
        emit.push(Instr::Binary(op, span));
        None
    }

    fn warn_operand(&mut self, op: BinOp, right: Option<i32>, span: Span) {
        let Some(right) = right else { return };
        if op.checked(0, right).is_some() {
            return;
        }
        let message = match op {
            BinOp::Div | BinOp::Rem => "this always divides by zero".to_string(),
            _ => format!("a shift by {right} is not possible"),
        };
        self.report(
            Diagnostic::warning(Code::AlwaysFails, span, message)
                .help("the checker reports a model error when this is evaluated"),
        );
    }

    fn short_circuit(&mut self, emit: &mut Emit, make: fn(u32) -> Instr, a: &Expr, b: &Expr) {
        self.expr(emit, a);
        let end = emit.jump(make);
        self.expr(emit, b);
        emit.push(Instr::Unary(UnOp::Bool));
        emit.land(end);
    }

    fn temporal(&mut self, emit: &mut Emit, span: Span) {
        self.report(
            Diagnostic::error(
                Code::TemporalOutsideLtl,
                span,
                "a temporal operator stands inside a state condition",
            )
            .help("temporal operators can be combined with `&&`, `||`, `!`, `->` and `<->` only"),
        );
        emit.push(Instr::Const(0));
    }

    fn variable(&mut self, emit: &mut Emit, var: &ast::VarRef) {
        match self.special(var) {
            Some(Special::Scratch) => {
                self.report(
                    Diagnostic::error(Code::ReadsScratch, var.span, "`_` cannot be read")
                        .label("only written")
                        .help("use a variable of your own"),
                );
                emit.push(Instr::Const(0));
            }
            Some(Special::Pid) => {
                if !matches!(self.context, Context::Proctype(_)) {
                    self.report(Diagnostic::error(
                        Code::OutsideProctype,
                        var.span,
                        "`_pid` has no meaning outside of a process",
                    ));
                }
                emit.footprint.specials.pid = true;
                emit.push(Instr::SelfPid);
            }
            Some(Special::NrPr) => {
                emit.footprint.specials.nr_pr = true;
                emit.push(Instr::NrProcesses);
            }
            Some(Special::Last) => {
                self.program.features.last = true;
                emit.footprint.specials.last = true;
                emit.push(Instr::Last);
            }
            Some(Special::Priority) => {
                self.program.features.priorities = true;
                emit.footprint.specials.reads_priority = true;
                emit.push(Instr::OwnPriority);
            }
            None => match self.target(var) {
                Some(target) => self.load(emit, &target),
                None => emit.push(Instr::Const(0)),
            },
        }
    }

    fn with_pid(&mut self, emit: &mut Emit, pid: &Expr, instr: Instr) {
        self.expr(emit, pid);
        emit.footprint.specials.can_fail = true;
        emit.push(instr);
    }

    fn query(&mut self, emit: &mut Emit, query: ast::ChanQuery, chan: &ast::VarRef) {
        let (query, how) = match query {
            ast::ChanQuery::Len => (ChanQuery::Len, ChanAccess::Len),
            ast::ChanQuery::Empty => (ChanQuery::Empty, ChanAccess::Empty),
            ast::ChanQuery::Nempty => (ChanQuery::Nempty, ChanAccess::Nempty),
            ast::ChanQuery::Full => (ChanQuery::Full, ChanAccess::Full),
            ast::ChanQuery::Nfull => (ChanQuery::Nfull, ChanAccess::Nfull),
        };
        self.channel(emit, chan, how);
        emit.push(Instr::Query(query, chan.span));
    }

    fn run(
        &mut self,
        emit: &mut Emit,
        name: ast::Name,
        args: &[Expr],
        priority: Option<ast::Number>,
        span: Span,
    ) {
        if !matches!(self.context, Context::Proctype(_)) {
            self.report(Diagnostic::error(
                Code::OutsideProctype,
                span,
                "`run` can only be used in a process",
            ));
        }
        self.check_d_step(span, "a process is started");
        let Some(proctype) = self.proctype(name) else {
            emit.push(Instr::Const(0));
            return;
        };
        let mtypes: Vec<Option<u32>> = self.locals[proctype.index()]
            .iter()
            .take(args.len())
            .map(|(_, parameter)| parameter.ty.ty.mtype())
            .collect();
        for (arg, mtype) in args.iter().zip(mtypes) {
            self.check_mtype(mtype, arg);
        }
        let expected = self.program.proctypes[proctype.index()].parameters.len();
        let given = self.arguments(emit, args, expected);
        if given != expected {
            let owner = self.text(name.symbol).to_string();
            let many = if given > expected { "many" } else { "few" };
            self.report(
                Diagnostic::error(
                    Code::WrongArity,
                    span,
                    format!("`{owner}` is given too {many} arguments"),
                )
                .label(format!("{given} given, {expected} expected"))
                .secondary(
                    self.program.proctypes[proctype.index()].span,
                    "declared here",
                ),
            );
            (given..expected).for_each(|_| emit.push(Instr::Const(0)));
        }
        if priority.is_some() {
            self.program.features.priorities = true;
        }
        let priority = match priority {
            Some(p) if (1..=255).contains(&p.value) => p.value as u8,
            Some(p) => {
                self.report(
                    Diagnostic::error(Code::BadPriority, p.span, "this priority is not possible")
                        .label("from 1 to 255"),
                );
                0
            }
            None => 0,
        };
        emit.footprint.specials.run = true;
        emit.footprint.specials.can_fail = true;
        emit.push(Instr::Run {
            proctype,
            args: self.argument_count(expected, span),
            priority,
            span,
        });
    }

    /// Emits arguments, structures flattened; returns how many values were left.
    pub(super) fn arguments(&mut self, emit: &mut Emit, args: &[Expr], most: usize) -> usize {
        let mut count = 0;
        for arg in args {
            self.check_probe(arg, true);
            let structure = match &*arg.kind {
                ExprKind::Var(var)
                    if self.special(var).is_none() && self.constant(arg).is_none() =>
                {
                    self.target(var)
                }
                _ => None,
            };
            match structure {
                Some(target) if target.scalar().is_none() => {
                    for cell in self.flatten(target.ty) {
                        count += 1;
                        if count <= most {
                            self.load(emit, &target.part(&cell));
                        }
                    }
                }
                Some(target) => {
                    count += 1;
                    if count <= most {
                        self.load(emit, &target);
                    }
                }
                None => {
                    count += 1;
                    if count <= most {
                        self.expr(emit, arg);
                    }
                }
            }
        }
        count
    }

    /// A proctype by its name.
    pub(super) fn proctype(&mut self, name: ast::Name) -> Option<ProctypeId> {
        if let Some(&id) = self.proctype_names.get(&name.symbol) {
            return Some(id);
        }
        let text = self.text(name.symbol).to_string();
        let known = self.program.proctypes.iter().map(|p| p.name.as_str());
        let guess = self.guess(&text, known);
        let mut diagnostic = Diagnostic::error(
            Code::UndeclaredName,
            name.span,
            format!("there is no proctype `{text}`"),
        );
        if let Some(guess) = guess {
            diagnostic = diagnostic.help(format!("did you mean `{guess}`?"));
        }
        self.report(diagnostic);
        None
    }

    fn remote_pid(&mut self, emit: &mut Emit, proctype: ProctypeId, index: Option<&Expr>) {
        match index {
            Some(index) => {
                self.expr(emit, index);
            }
            None => emit.push(Instr::PidOf(proctype)),
        }
        emit.footprint.specials.remote_location = true;
        emit.footprint.specials.can_fail = true;
    }

    fn remote_label(
        &mut self,
        emit: &mut Emit,
        name: ast::Name,
        index: Option<&Expr>,
        label: ast::Name,
        span: Span,
    ) {
        let Some(proctype) = self.proctype(name) else {
            emit.push(Instr::Const(0));
            return;
        };
        self.remote_pid(emit, proctype, index);
        let set = self.program.label_sets.len() as u32;
        self.program.label_sets.push(Vec::new());
        self.remote_labels.push((proctype, label));
        self.pin_now(proctype, label);
        emit.push(Instr::RemoteAt {
            proctype,
            set,
            span,
        });
    }

    fn remote_var(
        &mut self,
        emit: &mut Emit,
        name: ast::Name,
        index: Option<&Expr>,
        var: &ast::VarRef,
    ) {
        let Some(proctype) = self.proctype(name) else {
            emit.push(Instr::Const(0));
            return;
        };
        self.remote_pid(emit, proctype, index);
        match self.remote_target(proctype, var) {
            Some(target) => self.load(emit, &target),
            None => emit.push(Instr::Const(0)),
        }
    }
}

fn unary_op(op: Unary) -> Option<UnOp> {
    match op {
        Unary::Neg => Some(UnOp::Neg),
        Unary::BitNot => Some(UnOp::BitNot),
        Unary::Not => Some(UnOp::Not),
        Unary::Next | Unary::Always | Unary::Eventually => None,
    }
}

fn binary_op(op: Binary) -> Option<BinOp> {
    Some(match op {
        Binary::Add => BinOp::Add,
        Binary::Sub => BinOp::Sub,
        Binary::Mul => BinOp::Mul,
        Binary::Div => BinOp::Div,
        Binary::Rem => BinOp::Rem,
        Binary::BitAnd => BinOp::BitAnd,
        Binary::BitXor => BinOp::BitXor,
        Binary::BitOr => BinOp::BitOr,
        Binary::Gt => BinOp::Gt,
        Binary::Lt => BinOp::Lt,
        Binary::Ge => BinOp::Ge,
        Binary::Le => BinOp::Le,
        Binary::Eq => BinOp::Eq,
        Binary::Ne => BinOp::Ne,
        Binary::Shl => BinOp::Shl,
        Binary::Shr => BinOp::Shr,
        Binary::And | Binary::Or => return None,
        Binary::Until | Binary::WeakUntil | Binary::Release | Binary::Implies | Binary::Equiv => {
            return None;
        }
    })
}
