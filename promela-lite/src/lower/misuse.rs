//! What could be compiled but has no sensible meaning, and is refused as SPIN refuses it.
//!
//! Each check stands for itself: it looks at one construct, at the place where it is lowered or, when the whole model
//! must be known, in the end.

use super::Lower;
use super::scope::{Context, Entity};
use crate::ast::{self, Expr, ExprKind, RecvArg};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Access, Exclusive, Footprint, Place};
use crate::source::Span;
use rustc_hash::FxHashMap;

impl Lower<'_> {
    /// `hidden` is for globals that are neither channels nor bits; `local` means nothing for what is local anyway.
    pub(super) fn check_visibility(&mut self, decl: &ast::Decl, global: bool) {
        let Some((visibility, span)) = decl.visibility else {
            return;
        };
        let bit = matches!(decl.ty.kind, ast::TypeKind::Bit | ast::TypeKind::Bool);
        let channel = decl.ty.kind == ast::TypeKind::Chan;
        match visibility {
            ast::Visibility::Hidden if !global || bit || channel => {
                let what = match (global, bit) {
                    (false, _) => "only a global variable can be hidden",
                    (_, true) => "a bit cannot be hidden",
                    _ => "a channel cannot be hidden",
                };
                let help = if global && bit {
                    "declare it as `byte`"
                } else {
                    "leave out `hidden`"
                };
                self.report(Diagnostic::error(Code::BadVisibility, span, what).help(help));
            }
            ast::Visibility::Local if !global => self.report(Diagnostic::warning(
                Code::VisibilityIgnored,
                span,
                "`local` has no meaning for a variable that is local anyway",
            )),
            _ => {}
        }
    }

    /// Where the value of an expression decides whether a step can be taken, `run` can only be the whole of it.
    pub(super) fn check_run_alone(&mut self, e: &Expr) {
        let inner: &[Expr] = match &*e.kind {
            ExprKind::Run { args, .. } => args,
            _ => std::slice::from_ref(e),
        };
        inner.iter().for_each(|e| self.check_no_run(e));
    }

    /// No `run` may be part of this expression.
    pub(super) fn check_no_run(&mut self, e: &Expr) {
        if let Some(span) = find_run(e) {
            self.report(
                Diagnostic::error(
                    Code::RunInExpression,
                    span,
                    "`run` cannot be a part of this expression",
                )
                .help("assign its value first: `p = run …`"),
            );
        }
    }

    /// A constant of one named set is no value for a variable of another.
    pub(super) fn check_mtype(&mut self, mtype: Option<u32>, value: &Expr) {
        let (Some(wanted @ 1..), ExprKind::Var(var)) = (mtype, &*value.kind) else {
            return;
        };
        let Some(Entity::Constant { set, .. }) = self.lookup(var.path[0].name.symbol) else {
            return;
        };
        // A set without constants is one that is not known (yet).
        let unknown = self.program.mtypes[wanted as usize].names.is_empty();
        if set == wanted || unknown {
            return;
        }
        let name = |set: u32| match self.program.mtypes[set as usize].name.as_str() {
            "" => "the plain `mtype`".to_string(),
            name => format!("`mtype:{name}`"),
        };
        let constant = self.text(var.path[0].name.symbol);
        let message = format!("`{constant}` is a constant of {}", name(set));
        let label = format!("{} is needed here", name(wanted));
        self.report(Diagnostic::error(Code::MtypeMismatch, value.span, message).label(label));
    }

    /// As SPIN: two fields of a message cannot go to one variable. Elements and fields are not compared.
    pub(super) fn check_fields_differ(&mut self, args: &[RecvArg]) {
        let plain = |arg: &RecvArg| match arg {
            RecvArg::Var(var) => match &var.path[..] {
                [segment] if segment.index.is_none() => Some(segment.name),
                _ => None,
            },
            _ => None,
        };
        let mut seen = FxHashMap::default();
        for name in args.iter().filter_map(plain) {
            if !matches!(self.lookup(name.symbol), Some(Entity::Var(_))) {
                continue;
            }
            if let Some(first) = seen.insert(name.symbol, name.span) {
                let message = format!(
                    "`{}` receives two fields of one message",
                    self.text(name.symbol)
                );
                self.report(
                    Diagnostic::error(Code::FieldsOverlap, name.span, message)
                        .secondary(first, "the first one")
                        .help("use `_` for a field that is not wanted"),
                );
            }
        }
    }

    /// Channels are compared, assigned and passed on; in an assignment they cannot be operands.
    pub(super) fn check_channel_operands(&mut self, value: &Expr) {
        match &*value.kind {
            ExprKind::Unary(_, a) => self.refuse_channel(a),
            ExprKind::Binary(_, a, b) => {
                self.refuse_channel(a);
                self.refuse_channel(b);
            }
            ExprKind::Conditional(_, a, b) => {
                self.refuse_channel(a);
                self.refuse_channel(b);
            }
            _ => {}
        }
    }

    fn refuse_channel(&mut self, e: &Expr) {
        if let ExprKind::Var(var) = &*e.kind
            && let [segment] = &var.path[..]
            && let Some(Entity::Var(entity)) = self.lookup(segment.name.symbol)
            && entity.ty.ty.is_chan()
        {
            let name = self.text(segment.name.symbol).to_string();
            self.report(
                Diagnostic::error(
                    Code::ChannelArithmetic,
                    e.span,
                    format!("the channel `{name}` is used as a number"),
                )
                .help(format!("for its number of messages write `len({name})`")),
            );
            return;
        }
        self.check_channel_operands(e);
    }

    /// What a `provided` clause may look at: nothing that differs from one process of the type to another but `_pid`.
    pub(super) fn check_provided(&mut self, e: &Expr, footprint: &Footprint) {
        let specials = footprint.specials;
        let own = |a: &Access| matches!(a.place, Place::Own | Place::Remote(_));
        let reads_local = footprint.reads.iter().any(own);
        let what = if reads_local && !specials.remote_location {
            "a `provided` clause cannot read local variables or parameters"
        } else if specials.remote_location {
            "a `provided` clause cannot look into another process"
        } else if specials.run {
            "a `provided` clause cannot start a process"
        } else {
            return;
        };
        self.report(
            Diagnostic::error(Code::BadProvided, e.span, what)
                .help("use a global variable, or a condition in the body"),
        );
    }

    /// Notes an `xr` or `xs`; two proctypes cannot both have the same end of a channel.
    pub(super) fn assert_exclusive(&mut self, claim: Exclusive) {
        let end = (claim.recv, claim.via.lo);
        let global = claim.via.place == Place::Global;
        let mine = (claim.proctype, claim.span);
        let earlier = global.then(|| *self.claimed.entry(end).or_insert(mine));
        let earlier = earlier.filter(|(proctype, _)| *proctype != claim.proctype);
        if let Some((_, first)) = earlier {
            let word = if claim.recv { "xr" } else { "xs" };
            self.report(
                Diagnostic::error(
                    Code::ConflictingExclusive,
                    claim.span,
                    format!("another process claims `{word}` of this channel"),
                )
                .secondary(first, "claimed here")
                .help("at most one of the two claims can be true: remove the other"),
            );
        }
        self.program.exclusive.push(claim);
    }

    /// The number of arguments of one instruction, which is bounded.
    pub(super) fn argument_count(&mut self, count: usize, span: Span) -> u16 {
        u16::try_from(count).unwrap_or_else(|_| {
            self.report(
                Diagnostic::error(Code::TooLarge, span, "there are too many arguments")
                    .label(format!("{count}; at most {} are possible", u16::MAX)),
            );
            u16::MAX
        })
    }

    /// `np_` speaks about the whole system.
    pub(super) fn check_non_progress(&mut self, span: Span) {
        if !matches!(self.context, Context::Claim | Context::Formula) {
            self.report(
                Diagnostic::error(
                    Code::ClaimOnly,
                    span,
                    "`np_` can only be used in never claims",
                )
                .help("to look for non-progress cycles no claim is needed"),
            );
        }
    }

    /// `enabled` and `pc_value` are for claims; in a process they make its steps depend on everything.
    pub(super) fn warn_outside_claim(&mut self, span: Span, word: &str) {
        if matches!(self.context, Context::Proctype(_)) {
            let message = format!("`{word}` outside of a never claim");
            self.report(
                Diagnostic::warning(Code::OutsideClaim, span, message)
                    .help("meant for claims and formulas; here it makes the reduction useless"),
            );
        }
    }

    /// `timeout` speaks about a state in which no process can move, so not about one inside of a step.
    pub(super) fn warn_timeout(&mut self, span: Span) {
        if self.skeleton.d_step.is_some() {
            self.report(
                Diagnostic::warning(Code::TimeoutInDStep, span, "`timeout` inside of a d_step")
                    .label("has a meaning as the first statement only"),
            );
        }
    }

    /// Inside a `d_step` nothing may be escaped from and no process may be started.
    pub(super) fn check_d_step(&mut self, span: Span, what: &str) {
        if self.skeleton.d_step.is_some() {
            self.report(
                Diagnostic::error(
                    Code::ForbiddenInDStep,
                    span,
                    format!("{what} inside of a d_step"),
                )
                .help("use `atomic` instead of `d_step`"),
            );
        }
    }

    /// What can only be said when the whole model is known.
    pub(super) fn check_whole(&mut self) {
        let unknown = std::mem::take(&mut self.awaited_sets);
        for set in unknown {
            let name = self.text(set.symbol).to_string();
            let index = self.mtype_sets[&set.symbol];
            if self.program.mtypes[index as usize].names.is_empty() {
                let others = self.program.mtypes.iter().filter(|m| !m.names.is_empty());
                let help = match self.guess(&name, others.map(|m| m.name.as_str())) {
                    Some(guess) => format!("did you mean `mtype:{guess}`?"),
                    None => format!("declare its constants: `mtype:{name} = {{ … }}`"),
                };
                let message = format!("there is no `mtype:{name}`");
                self.report(
                    Diagnostic::warning(Code::UnknownMtypeSet, set.span, message).help(help),
                );
            }
        }
        self.check_elses();
        // The rest would only echo what is wrong already.
        if self.session.diagnostics.has_errors() {
            return;
        }
        self.check_message_lengths();
        if self.program.active.is_empty() {
            let first = self.program.proctypes.first().map(|p| p.span);
            let error = Diagnostic::error(
                Code::NoProcess,
                first.unwrap_or(Span::NONE),
                "no process is ever started",
            );
            self.report(error.help("write `init { … }`, or `active` before a proctype"));
        }
    }
}

impl Lower<'_> {
    /// `else` beside a send or receive is dubious, and with `xr` or `xs` it is wrong.
    fn check_elses(&mut self) {
        let exclusive = !self.program.exclusive.is_empty();
        for span in std::mem::take(&mut self.elses_with_channels) {
            self.report(if exclusive {
                Diagnostic::error(
                    Code::ElseWithExclusive,
                    span,
                    "`else` beside a send or receive, in a model with `xr` or `xs`",
                )
                .help("remove `xr` and `xs`, or ask by polls")
            } else {
                Diagnostic::warning(
                    Code::ElseWithChannels,
                    span,
                    "`else` beside a send, a receive, or a question of room",
                )
                .label("taken when the others are not possible at this very moment")
            });
        }
    }

    /// A message that is longer than those of all channels cannot be sent.
    fn check_message_lengths(&mut self) {
        let fields = self.program.templates.iter().map(|t| t.fields.len());
        let most = fields.max().unwrap_or(0);
        let sends = self.program.sends.iter().filter(|s| s.args.len() > most);
        let too_long: Vec<(Span, usize)> = sends.map(|s| (s.span, s.args.len())).collect();
        for (span, given) in too_long {
            let plural = if given == 1 { "" } else { "s" };
            self.report(
                Diagnostic::error(
                    Code::MessageShape,
                    span,
                    "no channel of this model can carry such a message",
                )
                .label(format!(
                    "{given} field{plural}; the most of any channel is {most}"
                )),
            );
        }
    }
}

/// The first `run` in an expression.
fn find_run(e: &Expr) -> Option<Span> {
    let among = |all: &[&Expr]| all.iter().find_map(|e| find_run(e));
    match &*e.kind {
        ExprKind::Run { .. } => Some(e.span),
        ExprKind::Unary(_, a)
        | ExprKind::Enabled(a)
        | ExprKind::PcValue(a)
        | ExprKind::GetPriority(a) => find_run(a),
        ExprKind::Binary(_, a, b) => among(&[a, b]),
        ExprKind::Conditional(a, b, c) => among(&[a, b, c]),
        ExprKind::Poll { args, .. } => args.iter().find_map(|arg| match arg {
            RecvArg::Eval(e) => find_run(e),
            _ => None,
        }),
        _ => None,
    }
}

/// Whether a process is started somewhere in an expression.
pub(super) fn contains_run(e: &Expr) -> bool {
    find_run(e).is_some()
}
