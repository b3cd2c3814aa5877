//! Declarations of variables and processes.

use super::emit::Emit;
use super::misuse::contains_run;
use super::scope::{Context, Entity};
use super::skeleton::Skeleton;
use super::types::{Ty, VarEntity, VarTy};
use super::{Lower, Owner};
use crate::ast::{self, Declarator};
use crate::code::{Cell, Code as Instrs, Region};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{
    Access, Claim, Exclusive, Footprint, Frame, Graph, Place, Proctype, ProctypeId, Trace,
};
use crate::source::Span;

/// Processes that can exist at once.
const MAX_PROCESSES: i32 = 65_535;

impl<'a> Lower<'a> {
    /// Declares global variables and emits their initialisation.
    pub(super) fn global_decl(&mut self, decl: &'a ast::Decl, init: &mut Emit) {
        self.check_visibility(decl, true);
        let hidden = matches!(decl.visibility, Some((ast::Visibility::Hidden, _)));
        let region = if hidden {
            Region::Hidden
        } else {
            Region::Global
        };
        for var in &decl.vars {
            let mut frame = std::mem::take(if hidden {
                &mut self.program.hidden
            } else {
                &mut self.program.globals
            });
            let entity = self.place(&mut frame, region, decl, var, false);
            *(if hidden {
                &mut self.program.hidden
            } else {
                &mut self.program.globals
            }) = frame;
            self.check_initialiser(var, entity);
            self.current_name = Some(var.name);
            self.initialise(init, entity, var.init.as_ref(), false);
            self.declare_global(var.name, Entity::Var(entity));
        }
    }

    /// What an initialiser may be.
    fn check_initialiser(&mut self, var: &Declarator, entity: VarEntity) {
        let Some(init) = &var.init else { return };
        let name = self.text(var.name.symbol).to_string();
        match init {
            ast::Initialiser::Chan { span, .. } if !entity.ty.ty.is_chan() => {
                self.report(
                    Diagnostic::error(
                        Code::NotAChannel,
                        *span,
                        format!("`{name}` is not a channel"),
                    )
                    .label("this makes a channel"),
                );
            }
            ast::Initialiser::List(_, span) if entity.ty.len.is_none() => {
                self.report(
                    Diagnostic::error(Code::NotAnArray, *span, format!("`{name}` is not an array"))
                        .label("a list of values is for arrays"),
                );
            }
            ast::Initialiser::Expr(e) => {
                if matches!(entity.ty.ty, Ty::Struct(_)) {
                    // Ignored, but the names in it must be known.
                    self.expr(&mut Emit::default(), e);
                    self.report(
                        Diagnostic::warning(
                            Code::StructureInitialiser,
                            e.span,
                            "a structure cannot be initialised as a whole",
                        )
                        .label("this value is ignored")
                        .help("give its fields their values in the typedef or by assignments"),
                    );
                }
                if let Ty::Scalar { mtype, .. } = entity.ty.ty {
                    self.check_mtype(mtype, e);
                }
                if let Ty::Scalar { scalar, .. } = entity.ty.ty
                    && let Some(value) = self.constant(e)
                    && scalar.truncate(value) != value
                {
                    let kept = scalar.truncate(value);
                    self.report(
                        Diagnostic::warning(
                            Code::ValueTruncated,
                            e.span,
                            format!("{value} does not fit the variable"),
                        )
                        .label(format!("{kept} is stored")),
                    );
                }
                if contains_run(e) {
                    self.report(Diagnostic::error(
                        Code::RunInInitialiser,
                        e.span,
                        "`run` cannot initialise a variable",
                    ));
                }
            }
            _ => {}
        }
    }

    /// Declares local variables. At the start of a body they are initialised when the process is made; later, by a step.
    pub(super) fn local_decl(&mut self, decl: &'a ast::Decl) {
        self.check_visibility(decl, false);
        // Variables of a claim belong to no process: they live among the globals.
        let in_process = matches!(self.context, Context::Proctype(_));
        let region = if in_process {
            Region::Local
        } else {
            Region::Global
        };
        for var in &decl.vars {
            let mut frame = std::mem::take(if in_process {
                &mut self.frame
            } else {
                &mut self.program.globals
            });
            let entity = self.place(&mut frame, region, decl, var, false);
            *(if in_process {
                &mut self.frame
            } else {
                &mut self.program.globals
            }) = frame;
            self.check_initialiser(var, entity);
            self.current_name = Some(var.name);
            let channels = self.new_channels;
            self.local_initialiser(var, entity);
            if self.new_channels > channels && self.in_procedure() {
                self.forbidden_in_procedure(
                    var.name.span,
                    "a channel is made in a procedure",
                    "make it in the proctype or among the globals, and pass it as an argument",
                );
            }
            self.declare_local(var.name, entity);
            if let Context::Proctype(id) = self.context {
                self.locals[id.index()].push((var.name.symbol, entity));
            }
        }
    }

    fn local_initialiser(&mut self, var: &'a Declarator, entity: VarEntity) {
        let at_start = self.initialisers;
        let is_chan_init = matches!(var.init, Some(ast::Initialiser::Chan { .. }));
        if !at_start && is_chan_init {
            self.report(
                Diagnostic::error(
                    Code::LateChannel,
                    var.name.span,
                    "a channel is made in the middle of a body",
                )
                .help("move this declaration to the start of the proctype"),
            );
            return;
        }
        let array = entity.ty.len.is_some();
        let scalar_for_array = array && matches!(var.init, Some(ast::Initialiser::Expr(_)));
        let mut init = std::mem::take(&mut self.init);
        if at_start || scalar_for_array || matches!(entity.ty.ty, Ty::Struct(_)) {
            self.initialise(&mut init, entity, var.init.as_ref(), false);
        }
        self.init = init;
        if at_start {
            return;
        }
        if scalar_for_array {
            self.report(
                Diagnostic::warning(
                    Code::InitialisedOnce,
                    var.name.span,
                    "this array is initialised only once",
                )
                .label("when the process starts, not each time control comes here"),
            );
            return;
        }
        let name = self.text(var.name.symbol).to_string();
        let node = if matches!(entity.ty.ty, Ty::Struct(_)) {
            let plain = VarEntity {
                ty: VarTy {
                    len: None,
                    ..entity.ty
                },
                ..entity
            };
            self.redeclare_structure(&name, plain, var.name.span)
        } else {
            self.redeclare(&name, entity, var.init.as_ref(), var.name.span)
        };
        self.append_leaf(node);
    }

    /// As SPIN: a step that changes nothing.
    fn redeclare_structure(
        &mut self,
        name: &str,
        _: VarEntity,
        span: Span,
    ) -> super::skeleton::NodeId {
        use super::skeleton::NodeKind;
        let node = self.skeleton.make(
            NodeKind::Plain(crate::program::Action::Skip),
            span,
            format!("{name} = 0"),
        );
        self.skeleton.node_mut(node).declares = true;
        node
    }

    /// Notes an `xr` or `xs`.
    pub(super) fn exclusive(&mut self, recv: bool, chans: &[ast::VarRef]) {
        if let Some(chan) = chans.first()
            && self.in_procedure()
        {
            return self.forbidden_in_procedure(
                chan.span,
                "`xr` and `xs` cannot be said in a procedure",
                "say it in the proctypes that call it",
            );
        }
        let Context::Proctype(proctype) = self.context else {
            if let Some(chan) = chans.first() {
                self.report(Diagnostic::error(
                    Code::OutsideProctype,
                    chan.span,
                    "`xr` and `xs` can only be used in a process",
                ));
            }
            return;
        };
        for chan in chans {
            let Some(target) = self.target(chan) else {
                continue;
            };
            if !target.ty.ty.is_chan() {
                self.report(Diagnostic::error(
                    Code::NotAChannel,
                    chan.span,
                    "`xr` and `xs` need a channel",
                ));
                continue;
            }
            if chan.path.iter().any(|s| s.index.is_some()) {
                self.report(
                    Diagnostic::error(
                        Code::NotAChannel,
                        chan.span,
                        "`xr` and `xs` cannot be said of an element of an array",
                    )
                    .help("name it first: `chan c = a[i]; xr c`, and use that name"),
                );
                continue;
            }
            self.assert_exclusive(Exclusive {
                proctype,
                recv,
                via: target.access,
                span: chan.span,
            });
        }
    }

    /// Declares a proctype: its name and parameters.
    pub(super) fn declare_proctype(&mut self, declared: &'a ast::Proctype) {
        let Ok(id) = u16::try_from(self.program.proctypes.len()).map(ProctypeId) else {
            return self.report(
                Diagnostic::error(
                    Code::TooMany,
                    declared.span,
                    "this proctype is one too many",
                )
                .label("a model can have 65536 proctypes"),
            );
        };
        let name = match declared.name {
            Some(name) => {
                if let Some(&earlier) = self.proctype_names.get(&name.symbol) {
                    let span = self.program.proctypes[earlier.index()].span;
                    return self.duplicate(name, span);
                }
                if let Some(global) = self.scopes.globals.get(&name.symbol) {
                    let span = global.span;
                    return self.duplicate(name, span);
                }
                self.proctype_names.insert(name.symbol, id);
                self.text(name.symbol).to_string()
            }
            None => {
                if let Some(earlier) = self.program.proctypes.iter().find(|p| p.name == ":init:") {
                    let span = earlier.span;
                    return self.report(
                        Diagnostic::error(
                            Code::DuplicateName,
                            declared.span,
                            "there is a second `init`",
                        )
                        .secondary(span, "the first one"),
                    );
                }
                ":init:".to_string()
            }
        };
        let (frame, parameters) = self.parameters(id, &declared.parameters, declared.span);
        let priority = self.priority(declared.priority);
        self.program.proctypes.push(Proctype {
            name,
            span: declared.span,
            frame,
            parameters,
            init: Instrs::EMPTY,
            channels: 0,
            graph: Graph::default(),
            provided: None,
            provided_footprint: Footprint::default(),
            priority,
            deterministic: declared.deterministic,
            activations: Vec::new(),
        });
        let count = self.active_count(declared);
        self.program.active.extend((0..count).map(|_| id));
    }

    /// Declares parameters: a frame with them alone, and their scalars.
    pub(super) fn parameters(
        &mut self,
        id: ProctypeId,
        declared: &'a [ast::Decl],
        span: Span,
    ) -> (Frame, Vec<Cell>) {
        let mut frame = Frame::default();
        let mut locals = Vec::new();
        let mut parameters = Vec::new();
        self.context = Context::Proctype(id);
        for decl in declared {
            self.check_visibility(decl, false);
            for var in &decl.vars {
                let entity = self.place(&mut frame, Region::Local, decl, var, true);
                self.check_parameter(var, entity);
                // An array was refused above and counts as one.
                let one = VarTy {
                    len: None,
                    ..entity.ty
                };
                let cells = self.flatten(one);
                parameters.extend(cells.iter().map(|c| Cell {
                    region: Region::Local,
                    offset: entity.offset + c.offset,
                    ty: c.ty,
                }));
                locals.push((var.name.symbol, entity));
            }
        }
        self.check_count(parameters.len(), span, "values are parameters");
        self.context = Context::Global;
        self.locals.push(locals);
        (frame, parameters)
    }

    fn check_parameter(&mut self, var: &Declarator, entity: VarEntity) {
        if var.init.is_some() {
            self.report(Diagnostic::error(
                Code::InitialisedParameter,
                var.name.span,
                "a parameter cannot have an initialiser",
            ));
        }
        if entity.ty.len.is_some() {
            self.report(
                Diagnostic::error(
                    Code::ArrayParameter,
                    var.name.span,
                    "an array cannot be a parameter",
                )
                .help("wrap it in a typedef, or make it global"),
            );
        }
    }

    fn priority(&mut self, priority: Option<ast::Number>) -> u8 {
        let Some(number) = priority else { return 1 };
        self.program.features.priorities = true;
        if (1..=255).contains(&number.value) {
            return number.value as u8;
        }
        self.report(
            Diagnostic::error(
                Code::BadPriority,
                number.span,
                "this priority is not possible",
            )
            .label("from 1 to 255"),
        );
        1
    }

    fn active_count(&mut self, declared: &ast::Proctype) -> usize {
        let Some(active) = &declared.active else {
            return 0;
        };
        let Some(count) = &active.count else { return 1 };
        match self.constant_or_initial(count) {
            Some(n) if (0..=MAX_PROCESSES).contains(&n) => n as usize,
            Some(_) => {
                self.report(
                    Diagnostic::error(
                        Code::BadActiveCount,
                        count.span,
                        "this number of processes is not possible",
                    )
                    .label(format!("from 0 to {MAX_PROCESSES}")),
                );
                0
            }
            None => {
                self.not_constant(count, "the number of processes");
                0
            }
        }
    }

    /// Lowers the body of a proctype.
    pub(super) fn proctype_body(&mut self, id: ProctypeId, declared: &'a ast::Proctype) {
        self.open_body(id);
        let provided = declared.provided.as_ref().map(|e| {
            self.program.features.provided = true;
            let mut emit = Emit::default();
            self.expr(&mut emit, e);
            self.check_provided(e, &emit.footprint);
            emit.finish(&mut self.program)
        });
        let footprint = self.close_body(id, &declared.body);
        self.initialiser_reads.push((id, footprint));
        let proctype = &mut self.program.proctypes[id.index()];
        proctype.channels = self.new_channels;
        if let Some((code, footprint)) = provided {
            proctype.provided = Some(code);
            proctype.provided_footprint = footprint;
        }
    }

    /// Begins a body: its parameters are known.
    pub(super) fn open_body(&mut self, id: ProctypeId) {
        self.frame = std::mem::take(&mut self.program.proctypes[id.index()].frame);
        self.init = Emit::default();
        self.new_channels = 0;
        self.context = Context::Proctype(id);
        self.scopes.open();
        for (symbol, entity) in self.locals[id.index()].clone() {
            self.declare_local(
                ast::Name {
                    symbol,
                    span: entity.span,
                },
                entity,
            );
        }
    }

    /// Lowers a body to its end. Says what the initialisers of its variables touch.
    pub(super) fn close_body(&mut self, id: ProctypeId, body: &'a ast::Block) -> Footprint {
        self.with_skeleton(Owner::Proctype(id), Context::Proctype(id), body, true);
        self.scopes.close();
        let (init, footprint) = std::mem::take(&mut self.init).finish(&mut self.program);
        let frame = std::mem::take(&mut self.frame);
        let proctype = &mut self.program.proctypes[id.index()];
        proctype.frame = frame;
        proctype.init = init;
        footprint
    }

    /// Lowers a `never` claim.
    pub(super) fn claim(&mut self, body: &'a ast::Body) {
        let index = self.program.claims.len();
        let name = match body.name {
            Some(name) => self.text(name.symbol).to_string(),
            None => format!("never_{index}"),
        };
        if let Some(earlier) = self.program.claims.iter().find(|c| c.name == name) {
            let message = format!("there is a second claim `{name}`");
            let span = earlier.span;
            self.report(
                Diagnostic::error(Code::DuplicateName, body.span, message)
                    .secondary(span, "the first one"),
            );
        }
        self.program.claims.push(Claim {
            name,
            span: body.span,
            graph: Graph::default(),
        });
        self.init = Emit::default();
        self.with_skeleton(Owner::Claim(index), Context::Claim, &body.block, true);
    }

    /// Lowers an event trace.
    pub(super) fn trace(&mut self, negated: bool, body: &'a ast::Body) {
        if let Some(trace) = &self.program.trace {
            let first = trace.span;
            return self.report(
                Diagnostic::error(
                    Code::DuplicateName,
                    body.span,
                    "there is a second event trace",
                )
                .secondary(first, "the first one"),
            );
        }
        self.program.trace = Some(Trace {
            negated,
            span: body.span,
            graph: Graph::default(),
            channels: Vec::new(),
        });
        self.with_skeleton(Owner::Trace, Context::Trace, &body.block, true);
        let skeleton: &Skeleton = match self.bodies.last() {
            Some(body) => &body.skeleton,
            None => return,
        };
        let mut channels: Vec<Cell> = Vec::new();
        for used in skeleton.nodes.iter().flat_map(|n| &n.footprint.chans) {
            let Access {
                place: Place::Global,
                lo,
                hi,
            } = used.via
            else {
                continue;
            };
            for offset in (lo..hi).step_by(crate::code::Scalar::Chan.size() as usize) {
                let cell = Cell {
                    region: Region::Global,
                    offset,
                    ty: crate::code::Scalar::Chan,
                };
                if !channels.contains(&cell) {
                    channels.push(cell);
                }
            }
        }
        if let Some(trace) = &mut self.program.trace {
            trace.channels = channels;
        }
    }
}
