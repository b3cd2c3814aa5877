//! Lowering: from the syntax tree to the [`Program`], resolving names and checking types on the way.
//!
//! Two passes over the units of the model. The first declares what is global (variables, types, constants, the headers of
//! proctypes), so that a `run` may name a proctype that comes later; a global is still visible only from its declaration
//! on. The second lowers bodies, each to a [`skeleton`]; when all are there, and with them all remote references, skeletons
//! become graphs. `ltl` formulas come last: they may name anything.
//!
//! | module | job |
//! | --- | --- |
//! | [`types`], [`scope`], [`place`] | declarations, names, addresses |
//! | [`expr`], [`chan`], [`emit`] | expressions and channel operands, to code |
//! | [`stmt`], [`leaf`], [`skeleton`] | statements, to linked elements |
//! | [`dstep`], [`graph`] | elements, to code and edges |
//! | [`formula`] | `ltl` blocks |
//! | [`misuse`] | what is refused although it could be compiled |

mod chan;
mod decl;
mod dstep;
mod emit;
mod expr;
mod finish;
mod formula;
mod graph;
mod leaf;
mod misuse;
mod place;
mod scope;
mod skeleton;
mod stmt;
mod types;

use crate::ast::{self, Model, Name, Unit};
use crate::code::{Cell, Region};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Footprint, Frame, MtypeSet, ProctypeId, Program, TemplateId, VarId};
use crate::symbol::Symbol;
use crate::tokenize::Session;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Context, Entity, Scopes};
use skeleton::{SeqId, Skeleton};
use types::{StructDef, VarEntity};

/// A variable: its region, whose frame, which one.
type VarKey = (Region, Option<ProctypeId>, VarId);

/// A body that waits to become a graph.
struct Body {
    owner: Owner,
    skeleton: Skeleton,
    seq: SeqId,
}

/// Whose body it is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Owner {
    Proctype(ProctypeId),
    Claim(usize),
    Trace,
}

/// The state of lowering.
struct Lower<'a> {
    session: &'a mut Session,
    program: Program,
    scopes: Scopes,
    structs: Vec<StructDef<'a>>,
    proctype_names: FxHashMap<Symbol, ProctypeId>,
    /// Local variables of each proctype, for remote references.
    locals: Vec<Vec<(Symbol, VarEntity)>>,
    /// Channel variables that were declared with a kind of channel.
    shapes: FxHashMap<VarKey, TemplateId>,
    used: FxHashSet<VarKey>,
    /// Index of the unit being lowered: what is visible.
    unit: u32,
    context: Context,

    // The body being lowered.
    skeleton: Skeleton,
    frame: Frame,
    init: emit::Emit,
    /// Whether a declaration here still belongs to the start of the body.
    initialisers: bool,
    new_channels: u32,
    current_name: Option<Name>,
    jumps: Vec<Name>,
    scratch: Option<Cell>,

    bodies: Vec<Body>,
    /// For each of the program's label sets, what it stands for.
    remote_labels: Vec<(ProctypeId, Name)>,
    anywhere: Vec<Name>,
    /// What the `provided` clauses read.
    provided: Vec<(ProctypeId, Footprint)>,
    /// For each of the program's kinds of channel, the typedef that is its only field.
    carried: Vec<Option<types::StructId>>,
    /// Sets of constants that were named before they were declared.
    awaited_sets: Vec<Name>,
    /// Places of `else` beside a send or receive.
    elses_with_channels: Vec<crate::source::Span>,
}

/// Lowers a model and, with it, formulas that are given outside of it.
pub(crate) fn lower<'a>(
    model: &'a Model,
    formulas: &'a [(String, ast::Expr)],
    session: &'a mut Session,
) -> Program {
    let mut lower = Lower {
        session,
        program: Program {
            mtypes: vec![MtypeSet::default()],
            ..Program::default()
        },
        scopes: Scopes::default(),
        structs: Vec::new(),
        proctype_names: FxHashMap::default(),
        locals: Vec::new(),
        shapes: FxHashMap::default(),
        used: FxHashSet::default(),
        unit: 0,
        context: Context::Global,
        skeleton: Skeleton::default(),
        frame: Frame::default(),
        init: emit::Emit::default(),
        initialisers: true,
        new_channels: 0,
        current_name: None,
        jumps: Vec::new(),
        scratch: None,
        bodies: Vec::new(),
        remote_labels: Vec::new(),
        anywhere: Vec::new(),
        provided: Vec::new(),
        carried: Vec::new(),
        awaited_sets: Vec::new(),
        elses_with_channels: Vec::new(),
    };
    lower.declare_units(model);
    lower.lower_bodies(model);
    lower.lower_formulas(model, formulas);
    lower.finish()
}

impl<'a> Lower<'a> {
    /// Declares everything that is global.
    fn declare_units(&mut self, model: &'a Model) {
        let mut init = emit::Emit::default();
        for (index, unit) in model.units.iter().enumerate() {
            self.unit = index as u32;
            match unit {
                Unit::Decl(decl) => self.global_decl(decl, &mut init),
                Unit::Typedef { name, fields } => self.define_struct(*name, fields),
                Unit::Mtype {
                    set,
                    constants,
                    visibility,
                } => {
                    if let Some((_, span)) = visibility {
                        self.report(
                            Diagnostic::error(
                                Code::BadVisibility,
                                *span,
                                "constants cannot be hidden or shown",
                            )
                            .help("this word belongs to a variable"),
                        );
                    }
                    self.mtype(*set, constants);
                }
                Unit::Proctype(proctype) => self.declare_proctype(proctype),
                Unit::Never(_) | Unit::Trace { .. } | Unit::Ltl { .. } => {}
            }
        }
        self.program.init = init.finish(&mut self.program).0;
    }

    /// Lowers all bodies in order.
    fn lower_bodies(&mut self, model: &'a Model) {
        let mut proctype = 0;
        for (index, unit) in model.units.iter().enumerate() {
            self.unit = index as u32;
            match unit {
                Unit::Proctype(declared) => {
                    // A proctype that could not be declared has no number.
                    let id = ProctypeId(proctype);
                    if self
                        .program
                        .proctypes
                        .get(id.index())
                        .is_some_and(|p| p.span == declared.span)
                    {
                        self.proctype_body(id, declared);
                        proctype += 1;
                    }
                }
                Unit::Never(body) => self.claim(body),
                Unit::Trace { negated, body } => self.trace(*negated, body),
                _ => {}
            }
        }
        self.unit = model.units.len() as u32;
    }

    /// Lowers one body in a fresh skeleton.
    fn with_skeleton(&mut self, owner: Owner, context: Context, block: &'a ast::Block, end: bool) {
        let next_step = self.bodies.last().map_or(0, |b| b.skeleton.next_step);
        self.skeleton = Skeleton::new(next_step);
        self.context = context;
        let seq = self.body(block, end);
        self.check_jumps();
        self.context = Context::Global;
        let skeleton = std::mem::take(&mut self.skeleton);
        self.bodies.push(Body {
            owner,
            skeleton,
            seq,
        });
    }

    fn check_jumps(&mut self) {
        for label in std::mem::take(&mut self.jumps) {
            if self.skeleton.labels.iter().any(|l| l.name == label.symbol) {
                continue;
            }
            let text = self.text(label.symbol).to_string();
            let known = self
                .skeleton
                .labels
                .iter()
                .map(|l| self.session.symbols.text(l.name));
            let guess = crate::spelling::closest(&text, known);
            let mut diagnostic = Diagnostic::error(
                Code::UnknownLabel,
                label.span,
                format!("there is no label `{text}` in this process"),
            );
            if let Some(guess) = guess {
                diagnostic = diagnostic.help(format!("did you mean `{guess}`?"));
            }
            self.report(diagnostic);
        }
    }

    fn mtype(&mut self, set: Option<Name>, constants: &[Name]) {
        let name = set.map_or(String::new(), |n| self.text(n.symbol).to_string());
        let index = match self.program.mtypes.iter().position(|m| m.name == name) {
            Some(index) => index,
            None => {
                self.program.mtypes.push(MtypeSet {
                    name,
                    names: Vec::new(),
                });
                self.program.mtypes.len() - 1
            }
        };
        // As in SPIN, the constants of one declaration are numbered from the last to the first.
        for &constant in constants.iter().rev() {
            let text = self.text(constant.symbol).to_string();
            let names = &mut self.program.mtypes[index].names;
            names.push(text);
            let value = names.len() as i32;
            if value == 256 {
                self.report(
                    Diagnostic::error(
                        Code::TooManyConstants,
                        constant.span,
                        "there are more than 255 constants",
                    )
                    .help("split them over named sets: `mtype:colour = { … }`"),
                );
            }
            self.declare_global(
                constant,
                Entity::Constant {
                    set: index as u32,
                    value,
                },
            );
        }
    }
}
