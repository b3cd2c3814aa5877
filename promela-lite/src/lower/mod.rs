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
//! | [`stmt`], [`skeleton`], [`labels`] | statements, to linked elements |
//! | [`leaf`], [`assign`], [`initial`] | basic statements, to one element each |
//! | [`loops`], [`counter`] | `for` and `select` |
//! | [`procedure`] | procedures, calls and returns |
//! | [`dstep`], [`graph`] | elements, to code and edges |
//! | [`listing`] | what is told of control states that no search reaches |
//! | [`formula`] | `ltl` blocks |
//! | [`misuse`] | what is refused although it could be compiled |
//! | [`unreached`] | the warning about statements that control never comes to |

mod assign;
mod chan;
mod counter;
mod decl;
mod dstep;
mod emit;
mod expr;
mod finish;
mod formula;
mod graph;
mod initial;
mod labels;
mod leaf;
mod listing;
mod loops;
mod misuse;
mod place;
mod procedure;
mod scope;
mod skeleton;
mod stmt;
mod types;
mod unreached;

use crate::ast::{self, Name, Spec, Unit};
use crate::code::{Cell, Region};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{
    Footprint, Frame, MtypeSet, ProcedureId, ProctypeId, Program, TemplateId, VarId,
};
use crate::symbol::Symbol;
use crate::tokenize::Session;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Context, Entity, Scopes};
use skeleton::{SeqId, Skeleton};
use types::{StructDef, StructId, VarEntity};

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
    struct_names: FxHashMap<Symbol, StructId>,
    mtype_sets: FxHashMap<Symbol, u32>,
    proctype_names: FxHashMap<Symbol, ProctypeId>,
    /// Procedures are lowered as proctypes with numbers behind those of all others, from this one on.
    first_procedure: usize,
    procedures: Vec<procedure::Head>,
    procedure_names: FxHashMap<Symbol, ProcedureId>,
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
    /// How many `unless` cover the statement being lowered.
    covers: u32,
    scratch: Option<Cell>,

    bodies: Vec<Body>,
    /// Indices into `bodies`.
    body_of: FxHashMap<ProctypeId, usize>,
    /// For each of the program's label sets, what it stands for.
    remote_labels: Vec<(ProctypeId, Name)>,
    anywhere: Vec<Name>,
    /// What the initialisers of local variables read.
    initialiser_reads: Vec<(ProctypeId, Footprint)>,
    /// For each of the program's kinds of channel, the typedef that is its only field.
    carried: Vec<Option<types::StructId>>,
    /// Sets of constants that were named before they were declared.
    awaited_sets: Vec<Name>,
    /// Which end of a global channel is claimed by whom, and where.
    claimed: FxHashMap<(bool, u32), (ProctypeId, crate::source::Span)>,
    /// Places of `else` beside a send or receive.
    elses_with_channels: Vec<crate::source::Span>,
    /// Why the formula being lowered cannot be checked.
    refused: Option<String>,
}

/// Lowers a model and, with it, formulas that are given outside of it.
pub(crate) fn lower<'a>(
    model: &'a Spec,
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
        struct_names: FxHashMap::default(),
        mtype_sets: FxHashMap::default(),
        proctype_names: FxHashMap::default(),
        first_procedure: usize::MAX,
        procedures: Vec::new(),
        procedure_names: FxHashMap::default(),
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
        covers: 0,
        scratch: None,
        bodies: Vec::new(),
        body_of: FxHashMap::default(),
        remote_labels: Vec::new(),
        anywhere: Vec::new(),
        initialiser_reads: Vec::new(),
        carried: Vec::new(),
        awaited_sets: Vec::new(),
        claimed: FxHashMap::default(),
        elses_with_channels: Vec::new(),
        refused: None,
    };
    lower.declare_units(model);
    lower.lower_bodies(model);
    lower.lower_formulas(model, formulas);
    lower.finish()
}

impl<'a> Lower<'a> {
    /// Declares everything that is global.
    fn declare_units(&mut self, model: &'a Spec) {
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
                Unit::Procedure(_) | Unit::Never(_) | Unit::Trace { .. } | Unit::Ltl { .. } => {}
            }
        }
        self.declare_procedures(model);
        self.program.init = init.finish(&mut self.program).0;
    }

    /// Lowers all bodies in order.
    fn lower_bodies(&mut self, model: &'a Spec) {
        let (mut proctype, mut procedure) = (0, 0);
        for (index, unit) in model.units.iter().enumerate() {
            self.unit = index as u32;
            match unit {
                // A proctype that could not be declared has no number.
                Unit::Proctype(declared)
                    if self.program.proctypes[..self.first_procedure]
                        .get(proctype)
                        .is_some_and(|p| p.span == declared.span) =>
                {
                    self.proctype_body(ProctypeId(proctype as u16), declared);
                    proctype += 1;
                }
                Unit::Procedure(declared)
                    if self
                        .procedures
                        .get(procedure)
                        .is_some_and(|p| p.span == declared.name.span) =>
                {
                    self.procedure_body(procedure, declared);
                    procedure += 1;
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
        if let Owner::Proctype(id) = owner {
            self.body_of.insert(id, self.bodies.len());
        }
        self.bodies.push(Body {
            owner,
            skeleton,
            seq,
        });
    }

    fn check_jumps(&mut self) {
        for label in std::mem::take(&mut self.jumps) {
            if self.skeleton.labels.named(label.symbol).next().is_some() {
                continue;
            }
            let text = self.text(label.symbol).to_string();
            let known = self
                .skeleton
                .labels
                .names()
                .map(|name| self.session.symbols.text(name));
            let guess = self.guess(&text, known);
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
        let index = match set {
            None => 0,
            Some(set) => {
                let next = self.program.mtypes.len() as u32;
                let index = *self.mtype_sets.entry(set.symbol).or_insert(next);
                if index == next {
                    self.program.mtypes.push(MtypeSet {
                        name: self.text(set.symbol).to_string(),
                        names: Vec::new(),
                    });
                }
                index as usize
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
