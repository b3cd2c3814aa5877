//! Channels: their kinds, and the operands of sends and receives.

use super::Lower;
use super::emit::Emit;
use super::place::{Special, Target};
use super::scope::{Context, Entity};
use super::types::{MAX_SIZE, Ty, VarTy};
use crate::ast::{self, Expr, ExprKind};
use crate::code::{Code as Instrs, Instr, Scalar};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{
    ChanAccess, ChanTemplate, Footprint, RecvArg, RecvId, RecvOp, SendId, SendOp, TemplateId,
};
use crate::source::Span;
use crate::text::Text;

/// Messages that one channel may hold.
const MAX_CAPACITY: i32 = 65_535;

impl<'a> Lower<'a> {
    /// The kind of channel that an initialiser makes.
    pub(super) fn template(
        &mut self,
        name: ast::Name,
        init: &ast::Initialiser,
    ) -> Option<TemplateId> {
        let ast::Initialiser::Chan {
            capacity,
            fields,
            span,
        } = init
        else {
            return None;
        };
        let size = match self.constant(capacity) {
            Some(n) if (0..=MAX_CAPACITY).contains(&n) => n as u32,
            Some(n) => {
                self.report(
                    Diagnostic::error(
                        Code::BadCapacity,
                        capacity.span,
                        "a channel cannot have this capacity",
                    )
                    .label(format!("{n} is not from 0 to {MAX_CAPACITY}")),
                );
                1
            }
            None => {
                self.not_constant(capacity, "the capacity of a channel");
                1
            }
        };
        let mut types = Vec::new();
        let mut mtypes = Vec::new();
        let mut carried = None;
        for field in fields {
            if field.kind == ast::TypeKind::Unsigned {
                self.report(
                    Diagnostic::error(
                        Code::BadFieldType,
                        field.span,
                        "`unsigned` cannot be the type of a message field",
                    )
                    .help("use `byte`, `short` or `int`"),
                );
                types.push(Scalar::Int);
                mtypes.push(None);
                continue;
            }
            let ty = self.type_of(field, None);
            if let (Ty::Struct(id), 1) = (ty, fields.len()) {
                carried = Some(id);
            }
            for cell in self.flatten(VarTy { ty, len: None }) {
                types.push(cell.ty);
                mtypes.push(cell.mtype);
            }
        }
        let width: u64 = types.iter().map(|t| u64::from(t.size())).sum();
        if width * u64::from(size) > MAX_SIZE {
            self.report(
                Diagnostic::error(Code::TooLarge, *span, "this channel is too large").label(
                    format!(
                        "messages of {width} bytes; at most {MAX_SIZE} bytes are possible in all"
                    ),
                ),
            );
        }
        let id = TemplateId(self.program.templates.len() as u32);
        let name = self.text(name.symbol).to_string();
        self.carried.push(carried);
        self.program.templates.push(ChanTemplate {
            capacity: size,
            fields: types,
            mtypes,
            name,
            span: *span,
        });
        Some(id)
    }

    /// Emits code that leaves a channel; notes how it is used.
    pub(super) fn channel<'e>(
        &mut self,
        emit: &mut Emit,
        chan: &'e ast::VarRef,
        how: ChanAccess,
    ) -> Option<Target<'e>> {
        let Some(target) = self.target(chan) else {
            emit.push(Instr::Const(0));
            return None;
        };
        if target.ty.len.is_none() && !target.ty.ty.is_chan() && !self.may_hold_channel(&target) {
            let text = Text::of_var(&self.session.symbols, chan);
            self.report(
                Diagnostic::error(
                    Code::NotAChannel,
                    chan.span,
                    format!("`{text}` is not a channel"),
                )
                .label("a channel is needed here"),
            );
            emit.push(Instr::Const(0));
            return None;
        }
        emit.footprint.channel(target.access, how);
        emit.footprint.specials.can_fail = true;
        self.load(emit, &target);
        Some(target)
    }

    /// SPIN lets a channel travel in a `byte`, `pid`, `short` or `int`: old models do that.
    fn may_hold_channel(&self, target: &Target<'_>) -> bool {
        matches!(
            target.scalar(),
            Some((Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int, _))
        ) && target.access.place == crate::program::Place::Own
            && self.is_parameter(target)
    }

    fn is_parameter(&self, target: &Target<'_>) -> bool {
        self.frame
            .vars
            .iter()
            .any(|v| v.parameter && v.offset == target.offset)
    }

    fn chan_code(
        &mut self,
        chan: &ast::VarRef,
        how: ChanAccess,
        footprint: &mut Footprint,
    ) -> (Instrs, Option<TemplateId>) {
        let mut emit = Emit::default();
        let shape = self
            .channel(&mut emit, chan, how)
            .and_then(|target| target.shape);
        let (code, touched) = emit.finish(&mut self.program);
        footprint.absorb(&touched);
        (code, shape)
    }

    /// The operands of a send.
    pub(super) fn send(
        &mut self,
        chan: &ast::VarRef,
        args: &[Expr],
        sorted: bool,
        span: Span,
        footprint: &mut Footprint,
    ) -> SendId {
        let (code, shape) = self.chan_code(chan, ChanAccess::Send, footprint);
        let mut codes = Vec::new();
        for arg in args {
            self.check_no_run(arg);
            self.check_probe(arg, true);
            for part in self.value_parts(arg) {
                let mut emit = Emit::default();
                match part {
                    Some(target) => self.load(&mut emit, &target),
                    // In a trace, only constants say something about a message.
                    None if self.is_ignored_event_field(arg) => {
                        let scratch = self.scratch();
                        emit.push(Instr::Load(scratch));
                    }
                    None => {
                        self.expr(&mut emit, arg);
                    }
                }
                let (code, touched) = emit.finish(&mut self.program);
                footprint.absorb(&touched);
                codes.push(code);
            }
        }
        if let Some(shape) = shape {
            let expected = self.program.templates[shape.index()].fields.len();
            if self.context != Context::Trace || codes.len() > expected {
                self.check_shape(codes.len(), expected, span, shape, "sent");
            }
        }
        let chan_text = Text::of_var(&self.session.symbols, chan);
        self.program.sends.push(SendOp {
            chan: code,
            args: codes,
            sorted,
            span,
            chan_text,
        });
        SendId(self.program.sends.len() as u32 - 1)
    }

    /// `_` in a send event of a trace.
    fn is_ignored_event_field(&self, arg: &Expr) -> bool {
        let ExprKind::Var(var) = &*arg.kind else {
            return false;
        };
        self.context == Context::Trace && self.special(var) == Some(Special::Scratch)
    }

    /// A structure is sent field by field: its scalars, or `None` for an ordinary value.
    fn value_parts<'e>(&mut self, arg: &'e Expr) -> Vec<Option<Target<'e>>> {
        let ExprKind::Var(var) = &*arg.kind else {
            return vec![None];
        };
        if self.special(var).is_some() || self.constant(arg).is_some() {
            return vec![None];
        }
        let Some(target) = self.target(var) else {
            return vec![None];
        };
        if target.scalar().is_some() {
            return vec![Some(target)];
        }
        if target.ty.len.is_some() {
            return vec![Some(target)];
        }
        self.flatten(target.ty)
            .iter()
            .map(|cell| Some(target.part(cell)))
            .collect()
    }

    /// The operands of a receive or poll.
    pub(super) fn recv(
        &mut self,
        chan: &ast::VarRef,
        args: &[ast::RecvArg],
        (random, peek, poll): (bool, bool, bool),
        span: Span,
        footprint: &mut Footprint,
    ) -> RecvId {
        let how = match (poll, peek) {
            (true, _) => ChanAccess::Poll,
            (false, true) => ChanAccess::Peek,
            (false, false) => ChanAccess::Recv,
        };
        let (code, shape) = self.chan_code(chan, how, footprint);
        let mut fields = Vec::new();
        if !poll {
            self.check_fields_differ(args);
        }
        for arg in args {
            self.recv_arg(arg, poll, footprint, &mut fields);
        }
        if let Some(shape) = shape {
            let expected = self.program.templates[shape.index()].fields.len();
            let may_leave_out = poll || peek || self.context == Context::Trace;
            if !may_leave_out || fields.len() > expected {
                self.check_shape(fields.len(), expected, span, shape, "received");
            }
        }
        let chan_text = Text::of_var(&self.session.symbols, chan);
        self.program.recvs.push(RecvOp {
            chan: code,
            args: fields,
            random,
            peek,
            poll,
            span,
            chan_text,
        });
        RecvId(self.program.recvs.len() as u32 - 1)
    }

    fn recv_arg(
        &mut self,
        arg: &ast::RecvArg,
        poll: bool,
        footprint: &mut Footprint,
        out: &mut Vec<RecvArg>,
    ) {
        match arg {
            ast::RecvArg::Const(number) => {
                out.push(RecvArg::Match(self.constant_code(number.value)))
            }
            ast::RecvArg::Eval(e) => {
                let mut emit = Emit::default();
                self.expr(&mut emit, e);
                let (code, touched) = emit.finish(&mut self.program);
                footprint.absorb(&touched);
                out.push(RecvArg::Match(code));
            }
            ast::RecvArg::Var(var) => {
                match (self.special(var), self.lookup(var.path[0].name.symbol)) {
                    (Some(Special::Scratch), _) => out.push(RecvArg::Ignore),
                    (Some(_), _) => {
                        let text = Text::of_var(&self.session.symbols, var);
                        self.report(
                            Diagnostic::error(
                                Code::ReadOnly,
                                var.span,
                                format!("`{text}` cannot be received into"),
                            )
                            .help(format!("to match its value write `eval({text})`")),
                        );
                        out.push(RecvArg::Ignore);
                    }
                    (None, Some(Entity::Constant { value, .. })) if var.path.len() == 1 => {
                        out.push(RecvArg::Match(self.constant_code(value)));
                    }
                    _ => self.recv_var(var, poll, footprint, out),
                }
            }
        }
    }

    /// A variable in a receive is stored to; in a poll its value does not matter.
    fn recv_var(
        &mut self,
        var: &ast::VarRef,
        poll: bool,
        footprint: &mut Footprint,
        out: &mut Vec<RecvArg>,
    ) {
        let Some(target) = self.target(var) else {
            out.push(RecvArg::Ignore);
            return;
        };
        if target.ty.len.is_some() {
            self.need_scalar(&target);
            out.push(RecvArg::Ignore);
            return;
        }
        let cells = self.flatten(target.ty);
        for cell in &cells {
            if poll {
                out.push(RecvArg::Ignore);
                continue;
            }
            let part = target.part(cell);
            footprint.write(part.access);
            match part.cell(cell.ty) {
                Some(place) => out.push(RecvArg::Bind(place)),
                None => {
                    let mut emit = Emit::default();
                    self.address(&mut emit, &part);
                    let (code, touched) = emit.finish(&mut self.program);
                    footprint.absorb(&touched);
                    out.push(RecvArg::BindAt(code, part.region, cell.ty));
                }
            }
        }
    }

    /// Emits a poll.
    pub(super) fn poll(
        &mut self,
        emit: &mut Emit,
        chan: &ast::VarRef,
        args: &[ast::RecvArg],
        random: bool,
        span: Span,
    ) {
        let mut footprint = Footprint::default();
        let id = self.recv(chan, args, (random, false, true), span, &mut footprint);
        emit.footprint.absorb(&footprint);
        emit.push(Instr::Poll(id));
    }

    fn constant_code(&mut self, value: i32) -> Instrs {
        let mut emit = Emit::default();
        emit.push(Instr::Const(value));
        emit.finish(&mut self.program).0
    }

    /// As SPIN: more fields than the channel has cannot be sent; any other mismatch is an error once the statement is
    /// executed.
    fn check_shape(
        &mut self,
        given: usize,
        expected: usize,
        span: Span,
        shape: TemplateId,
        verb: &str,
    ) {
        if given == expected {
            return;
        }
        let declared = self.program.templates[shape.index()].span;
        let label = format!(
            "{given} field{} {verb}, the channel has {expected}",
            if given == 1 { "" } else { "s" }
        );
        let message = "the message does not fit the channel";
        let diagnostic = if given > expected && verb == "sent" {
            Diagnostic::error(Code::MessageShape, span, message)
        } else {
            Diagnostic::warning(Code::MessageShapeDiffers, span, message)
        };
        self.report(
            diagnostic
                .label(label)
                .secondary(declared, "the channel is declared here"),
        );
    }
}
