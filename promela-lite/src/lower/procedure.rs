//! Procedures: declared and lowered as proctypes behind all others, and told from them at the end.
//!
//! A call is one element, and one more that takes the result where it is assigned. What both mean is said in
//! [`crate::expand_calls`].

use super::emit::Emit;
use super::scope::Context;
use super::skeleton::{NodeId, NodeKind};
use super::types::Ty;
use super::{Body, Lower};
use crate::ast::{self, Expr, Name, Spec, Unit};
use crate::code::{Code as Instrs, Instr, Scalar};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{
    Action, CallId, CallOp, Footprint, Graph, Procedure, ProcedureId, Proctype, ProctypeId,
};
use crate::source::Span;
use std::mem::take;

/// What is known of a procedure beside its proctype.
pub(super) struct Head {
    pub(super) span: Span,
    /// How its result is stored, and which set of constants it comes from.
    result: Option<(Scalar, Option<u32>)>,
    init_footprint: Footprint,
    called: bool,
}

impl<'a> Lower<'a> {
    /// Declares all procedures, behind all proctypes.
    pub(super) fn declare_procedures(&mut self, model: &'a Spec) {
        self.first_procedure = self.program.proctypes.len();
        for (index, unit) in model.units.iter().enumerate() {
            if let Unit::Procedure(procedure) = unit {
                self.unit = index as u32;
                self.declare_procedure(procedure);
            }
        }
    }

    fn declare_procedure(&mut self, declared: &'a ast::Procedure) {
        let (name, number) = (declared.name, self.program.proctypes.len());
        let Ok(number) = u16::try_from(number) else {
            return self.report(Diagnostic::error(
                Code::TooMany,
                name.span,
                "this procedure is one too many",
            ));
        };
        let global = self.scopes.globals.get(&name.symbol).map(|g| g.span);
        if let Some(earlier) = self.proctype_span(name.symbol).or(global) {
            return self.duplicate(name, earlier);
        }
        let (frame, parameters) =
            self.parameters(ProctypeId(number), &declared.parameters, name.span);
        let result = declared.result.as_ref().and_then(|ty| self.result_type(ty));
        let procedure = ProcedureId(self.procedures.len() as u16);
        self.procedure_names.insert(name.symbol, procedure);
        self.procedures.push(Head {
            span: name.span,
            result,
            init_footprint: Footprint::default(),
            called: false,
        });
        self.program.proctypes.push(Proctype {
            name: self.text(name.symbol).to_string(),
            span: name.span,
            frame,
            parameters,
            init: Instrs::EMPTY,
            channels: 0,
            graph: Graph::default(),
            provided: None,
            provided_footprint: Footprint::default(),
            priority: 1,
            deterministic: false,
            activations: Vec::new(),
        });
    }

    fn result_type(&mut self, ty: &ast::TypeRef) -> Option<(Scalar, Option<u32>)> {
        let unsigned = ty.kind == ast::TypeKind::Unsigned;
        let found = if unsigned {
            Ty::INT
        } else {
            self.type_of(ty, None)
        };
        match found {
            Ty::Scalar { scalar, mtype } if !unsigned => Some((scalar, mtype)),
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::ResultMismatch,
                        ty.span,
                        "this type is not possible for a result",
                    )
                    .help("a result is a bit, bool, byte, pid, short, int, mtype or chan"),
                );
                None
            }
        }
    }

    /// Lowers the body of a procedure.
    pub(super) fn procedure_body(&mut self, index: usize, declared: &'a ast::Procedure) {
        let id = ProctypeId((self.first_procedure + index) as u16);
        self.open_body(id);
        self.procedures[index].init_footprint = self.close_body(id, &declared.body);
    }

    /// The procedure whose body is being lowered.
    fn procedure(&self) -> Option<usize> {
        match self.context {
            Context::Proctype(id) => id.index().checked_sub(self.first_procedure),
            _ => None,
        }
    }

    pub(super) fn in_procedure(&self) -> bool {
        self.procedure().is_some()
    }

    pub(super) fn forbidden_in_procedure(&mut self, span: Span, what: &str, help: &str) {
        self.report(Diagnostic::error(Code::ForbiddenInProcedure, span, what).help(help));
    }

    /// `f(a, b)`, whose result is or is not taken by the next element.
    pub(super) fn call(
        &mut self,
        (name, args): (Name, &[Expr]),
        takes: bool,
        span: Span,
        text: String,
    ) -> NodeId {
        let skip = NodeKind::Plain(Action::Skip);
        self.check_call_place(span);
        let Some(&procedure) = self.procedure_names.get(&name.symbol) else {
            self.unknown_procedure(name);
            return self.node(skip, span, text, Footprint::default());
        };
        let id = self.first_procedure + procedure.index();
        let head = &mut self.procedures[procedure.index()];
        head.called = true;
        let (declared, has_result) = (head.span, head.result.is_some());
        let callee = self.text(name.symbol).to_string();
        if takes && !has_result {
            self.report(
                Diagnostic::error(
                    Code::ResultMismatch,
                    span,
                    format!("`{callee}` has no result"),
                )
                .secondary(declared, "declared here")
                .help(format!(
                    "declare the type of its result: `procedure {callee}(…) : int`"
                )),
            );
        } else if has_result && !takes {
            self.report(
                Diagnostic::warning(
                    Code::ResultUnused,
                    span,
                    format!("the result of `{callee}` is not used"),
                )
                .help(format!("write `_ = {callee}(…)` if that is meant")),
            );
        }
        let mut emit = Emit::default();
        let parameters = self.locals[id].iter().take(args.len());
        let mtypes: Vec<_> = parameters.map(|(_, p)| p.ty.ty.mtype()).collect();
        for arg in args {
            self.check_no_run(arg);
        }
        for (arg, mtype) in args.iter().zip(mtypes) {
            self.check_mtype(mtype, arg);
        }
        let expected = self.program.proctypes[id].parameters.len();
        let given = self.arguments(&mut emit, args, expected);
        if given != expected {
            let many = if given > expected { "many" } else { "few" };
            self.report(
                Diagnostic::error(
                    Code::WrongArity,
                    span,
                    format!("`{callee}` is given too {many} arguments"),
                )
                .label(format!("{given} given, {expected} expected"))
                .secondary(declared, "declared here"),
            );
            return self.node(skip, span, text, Footprint::default());
        }
        let (args, footprint) = emit.finish(&mut self.program);
        let call = CallId(self.program.calls.len() as u32);
        self.program.calls.push(CallOp {
            procedure,
            args,
            result: takes,
            atomic: false,
            span,
        });
        self.node(NodeKind::Plain(Action::Call(call)), span, text, footprint)
    }

    /// A call cannot be part of a larger step, and cannot be left by an escape.
    fn check_call_place(&mut self, span: Span) {
        self.check_d_step(span, "a procedure is called");
        if self.covers > 0 {
            self.report(
                Diagnostic::error(
                    Code::CallForbidden,
                    span,
                    "a procedure is called where an `unless` can escape",
                )
                .help("let the procedure itself look at the condition and return"),
            );
        }
        if self.context == Context::Claim {
            self.report(
                Diagnostic::error(
                    Code::CallForbidden,
                    span,
                    "a never claim cannot call a procedure",
                )
                .help("a claim observes: use conditions on the state"),
            );
        }
    }

    fn unknown_procedure(&mut self, name: Name) {
        let text = self.text(name.symbol).to_string();
        let names = self.procedure_names.keys().map(|&s| self.text(s));
        let help = match self.guess(&text, names) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None if self.proctype_names.contains_key(&name.symbol) => {
                format!("a process is started by `run {text}(…)`")
            }
            None => format!(
                "declare it: `procedure {text}(…) {{ … }}`, or `inline {text}(…) {{ … }}` above"
            ),
        };
        let message = format!("there is no procedure or inline `{text}`");
        self.report(Diagnostic::error(Code::UnknownProcedure, name.span, message).help(help));
    }

    /// The second element of `x = f(…)`.
    pub(super) fn take_result(&mut self, var: &'a ast::VarRef, name: Name, span: Span) -> NodeId {
        let left = crate::text::Text::of_var(&self.session.symbols, var);
        let text = format!("{left} = result of {}", self.text(name.symbol));
        let mtype = self.procedure_names.get(&name.symbol);
        let mtype = mtype.and_then(|p| self.procedures[p.index()].result?.1);
        let node = self.assign(var, span, text, None, |_, emit| emit.push(Instr::Result));
        self.check_result_set(var, mtype, span);
        node
    }

    /// A result of one named set is no value for a variable of another.
    fn check_result_set(&mut self, var: &ast::VarRef, mtype: Option<u32>, span: Span) {
        if self.special(var).is_some() || mtype.is_none() {
            return;
        }
        let target = self.target(var).and_then(|t| t.scalar());
        if let Some((_, Some(set))) = target
            && Some(set) != mtype
        {
            self.report(Diagnostic::error(
                Code::MtypeMismatch,
                span,
                "the result belongs to another set of constants",
            ));
        }
    }

    /// `return` or `return e`
    pub(super) fn return_(&mut self, value: Option<&Expr>, span: Span, text: String) -> NodeId {
        self.check_d_step(span, "a procedure is left");
        let Some(index) = self.procedure() else {
            return self.node(
                NodeKind::Plain(Action::Skip),
                span,
                text,
                Footprint::default(),
            );
        };
        let head = &self.procedures[index];
        let (declared, result) = (head.span, head.result);
        let name = self.program.proctypes[self.first_procedure + index]
            .name
            .clone();
        let mut emit = Emit::default();
        match (value, result) {
            (Some(e), Some((_, mtype))) => {
                self.check_no_run(e);
                self.check_probe(e, true);
                self.check_mtype(mtype, e);
                self.expr(&mut emit, e);
            }
            (None, None) => {}
            (Some(_), None) => self.report(
                Diagnostic::error(
                    Code::ResultMismatch,
                    span,
                    format!("`{name}` has no result to return"),
                )
                .secondary(declared, "declared here")
                .help(format!("declare its type: `procedure {name}(…) : int`")),
            ),
            (None, Some(_)) => self.report(
                Diagnostic::error(
                    Code::ResultMismatch,
                    span,
                    format!("`{name}` has a result, but none is returned"),
                )
                .secondary(declared, "declared here")
                .help("write `return e`"),
            ),
        }
        let (code, footprint) = emit.finish(&mut self.program);
        self.node(NodeKind::Plain(Action::Return(code)), span, text, footprint)
    }

    /// Notes which calls stand in an `atomic`: known when bodies are complete.
    pub(super) fn note_atomic_calls(&mut self, bodies: &[Body]) {
        for node in bodies.iter().flat_map(|body| &body.skeleton.nodes) {
            if let NodeKind::Plain(Action::Call(id)) = node.kind {
                self.program.calls[id.index()].atomic = node.atomic || node.last_atomic;
            }
        }
    }

    /// Tells procedures from proctypes.
    pub(super) fn part_procedures(&mut self) {
        let first = self.first_procedure.min(self.program.proctypes.len());
        let parted = self.program.proctypes.split_off(first);
        let has_errors = self.session.diagnostics.has_errors();
        for (mut procedure, head) in parted.into_iter().zip(take(&mut self.procedures)) {
            let name = procedure.name;
            for edge in &mut procedure.graph.edges {
                if edge.action != Action::End {
                    continue;
                }
                if head.result.is_some() && !has_errors {
                    self.report(
                        Diagnostic::error(
                            Code::MissingReturn,
                            edge.span,
                            format!("`{name}` may end without its result"),
                        )
                        .label("a path of control leads here")
                        .secondary(head.span, "declared with a result")
                        .help("write `return e` at the end of every path"),
                    );
                }
                edge.action = Action::Return(Instrs::EMPTY);
                edge.footprint.specials.end = false;
                edge.text = "return".to_string();
            }
            for location in &mut procedure.graph.locations {
                let edges = &procedure.graph.edges[location.edges()];
                // The end of a body is no deadlock, but a procedure never rests there.
                if edges.iter().any(|e| matches!(e.action, Action::Return(_))) && edges.len() == 1 {
                    location.end = false;
                }
            }
            if !head.called && !has_errors {
                let message = format!("procedure `{name}` is never called");
                self.report(Diagnostic::warning(
                    Code::UnusedProcedure,
                    head.span,
                    message,
                ));
            }
            self.program.procedures.push(Procedure {
                name,
                span: head.span,
                frame: procedure.frame,
                parameters: procedure.parameters,
                result: head.result.map(|(scalar, _)| scalar),
                init: procedure.init,
                init_footprint: head.init_footprint,
                graph: procedure.graph,
            });
        }
    }
}
