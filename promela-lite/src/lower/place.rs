//! Variables, elements and fields: from `a[i].b` to an address.

use super::Lower;
use super::emit::Emit;
use super::scope::Entity;
use super::types::{Ty, VarEntity, VarTy};
use crate::ast;
use crate::code::{Cell, Instr, Region, Scalar};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Access, NamedCell, Place, ProctypeId, TemplateId};
use crate::source::Span;

/// A resolved reference: a fixed offset plus indices that are only known when the model runs.
pub(super) struct Target<'e> {
    pub(super) region: Region,
    pub(super) offset: u32,
    dynamic: Vec<(&'e ast::Expr, u32, u32)>,
    pub(super) ty: VarTy,
    /// The bytes it can lie in.
    pub(super) access: Access,
    /// Whose frame, for a remote reference.
    pub(super) remote: Option<ProctypeId>,
    pub(super) span: Span,
    /// The kind of channel the variable was declared with, if it was.
    pub(super) shape: Option<TemplateId>,
}

/// Names with a meaning of their own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Scratch,
    Pid,
    NrPr,
    Last,
    Priority,
}

impl Special {
    /// The meaning of a predefined name.
    pub(super) fn of(name: &str) -> Option<Special> {
        match name {
            "_" => Some(Special::Scratch),
            "_pid" => Some(Special::Pid),
            "_nr_pr" => Some(Special::NrPr),
            "_last" => Some(Special::Last),
            "_priority" => Some(Special::Priority),
            _ => None,
        }
    }
}

impl<'e> Target<'e> {
    pub(super) fn scalar(&self) -> Option<(Scalar, Option<u32>)> {
        match self.ty {
            VarTy {
                ty: Ty::Scalar { scalar, mtype },
                len: None,
            } => Some((scalar, mtype)),
            _ => None,
        }
    }

    pub(super) fn cell(&self, scalar: Scalar) -> Option<Cell> {
        self.dynamic.is_empty().then_some(Cell {
            region: self.region,
            offset: self.offset,
            ty: scalar,
        })
    }

    pub(super) fn is_dynamic(&self) -> bool {
        !self.dynamic.is_empty()
    }

    /// One scalar of a structure or array that this target names as a whole.
    pub(super) fn part(&self, cell: &NamedCell) -> Target<'e> {
        let size = cell.ty.size();
        let lo = self.access.lo + cell.offset;
        let exact = Access {
            lo,
            hi: lo + size,
            ..self.access
        };
        Target {
            region: self.region,
            offset: self.offset + cell.offset,
            dynamic: self.dynamic.clone(),
            ty: VarTy {
                ty: Ty::Scalar {
                    scalar: cell.ty,
                    mtype: cell.mtype,
                },
                len: None,
            },
            access: if self.is_dynamic() {
                self.access
            } else {
                exact
            },
            remote: self.remote,
            span: self.span,
            shape: None,
        }
    }
}

impl<'a> Lower<'a> {
    /// Whether the reference is one of the predefined names.
    pub(super) fn special(&self, var: &ast::VarRef) -> Option<Special> {
        let [segment] = &var.path[..] else {
            return None;
        };
        Special::of(self.text(segment.name.symbol))
    }

    /// Resolves a reference to a variable; reports what is wrong with it.
    pub(super) fn target<'e>(&mut self, var: &'e ast::VarRef) -> Option<Target<'e>> {
        let name = var.path[0].name;
        match self.lookup(name.symbol) {
            Some(Entity::Var(entity)) => {
                self.used
                    .insert((entity.region, self.frame_owner(entity.region), entity.id));
                self.walk(var, entity, None)
            }
            Some(Entity::Constant { .. }) => {
                let message = format!("`{}` is a constant, not a variable", self.text(name.symbol));
                self.report(Diagnostic::error(Code::NotAVariable, name.span, message));
                None
            }
            None => {
                self.undeclared(name);
                None
            }
        }
    }

    /// Resolves a reference to a local variable of another process.
    pub(super) fn remote_target<'e>(
        &mut self,
        proctype: ProctypeId,
        var: &'e ast::VarRef,
    ) -> Option<Target<'e>> {
        let name = var.path[0].name;
        let found = self.locals[proctype.index()]
            .iter()
            .find(|(symbol, _)| *symbol == name.symbol);
        let Some(&(_, entity)) = found else {
            let owner = self.program.proctypes[proctype.index()].name.clone();
            let text = self.text(name.symbol).to_string();
            let locals = self.locals[proctype.index()].iter();
            let guess = self.guess(&text, locals.map(|(s, _)| self.text(*s)));
            let message = format!("`{owner}` has no local variable `{text}`");
            let mut error = Diagnostic::error(Code::UndeclaredName, name.span, message);
            if let Some(guess) = guess {
                error = error.help(format!("did you mean `{guess}`?"));
            }
            self.report(error);
            return None;
        };
        self.used.insert((Region::Local, Some(proctype), entity.id));
        self.walk(var, entity, Some(proctype))
    }

    fn walk<'e>(
        &mut self,
        var: &'e ast::VarRef,
        entity: VarEntity,
        remote: Option<ProctypeId>,
    ) -> Option<Target<'e>> {
        let place = match (remote, entity.region) {
            (Some(proctype), _) => Place::Remote(proctype),
            (None, Region::Global) => Place::Global,
            (None, Region::Hidden) => Place::Hidden,
            (None, Region::Local) => Place::Own,
        };
        let whole = self.full_size(entity.ty) as u32;
        let mut target = Target {
            region: entity.region,
            offset: entity.offset,
            dynamic: Vec::new(),
            ty: entity.ty,
            access: Access {
                place,
                lo: entity.offset,
                hi: entity.offset + whole,
            },
            remote,
            span: var.span,
            shape: self
                .shapes
                .get(&(entity.region, self.frame_owner(entity.region), entity.id))
                .copied(),
        };
        for (i, segment) in var.path.iter().enumerate() {
            if i > 0 {
                self.select_field(&mut target, segment)?;
            }
            if let Some(index) = &segment.index {
                self.select_element(&mut target, segment, index)?;
            }
        }
        Some(target)
    }

    fn select_field(&mut self, target: &mut Target<'_>, segment: &ast::Segment) -> Option<()> {
        let name = segment.name;
        if target.ty.len.is_some() {
            let message = "an element of the array must be chosen before a field".to_string();
            self.report(
                Diagnostic::error(Code::MissingIndex, name.span, message)
                    .help("write an index: `a[i].field`"),
            );
            return None;
        }
        let Ty::Struct(id) = target.ty.ty else {
            let message = format!(
                "there is no field `{}`: this is not a structure",
                self.text(name.symbol)
            );
            self.report(Diagnostic::error(Code::NoSuchField, name.span, message));
            return None;
        };
        let def = &self.structs[id.0 as usize];
        let Some(field) = def.field(name.symbol) else {
            let text = self.text(name.symbol).to_string();
            let guess = self.guess(&text, def.fields.iter().map(|f| self.text(f.name)));
            let message = format!("the type `{}` has no field `{text}`", self.text(def.name));
            let mut diagnostic = Diagnostic::error(Code::NoSuchField, name.span, message);
            if let Some(guess) = guess {
                diagnostic = diagnostic.help(format!("did you mean `{guess}`?"));
            }
            self.report(diagnostic);
            return None;
        };
        let (ty, offset) = (field.ty, field.offset);
        target.ty = ty;
        target.offset += offset;
        target.shape = None;
        if !target.is_dynamic() {
            let lo = target.offset;
            target.access = Access {
                lo,
                hi: lo + self.full_size(ty) as u32,
                ..target.access
            };
        }
        Some(())
    }

    fn select_element<'e>(
        &mut self,
        target: &mut Target<'e>,
        segment: &ast::Segment,
        index: &'e ast::Expr,
    ) -> Option<()> {
        // As in SPIN, a variable that is not an array may be indexed by a constant zero.
        let len = target.ty.len.unwrap_or(1);
        if target.ty.len.is_none() && self.constant(index) != Some(0) {
            let name = self.text(segment.name.symbol).to_string();
            self.report(
                Diagnostic::error(
                    Code::NotAnArray,
                    index.span,
                    format!("`{name}` is not an array"),
                )
                .label("it has no elements to choose from"),
            );
            return None;
        }
        self.check_probe(index, true);
        let stride = self.size_of(target.ty.ty);
        target.ty.len = None;
        match self.constant(index) {
            Some(i) if (0..len as i64).contains(&i64::from(i)) => {
                target.offset += i as u32 * stride;
                if !target.is_dynamic() {
                    let lo = target.offset;
                    target.access = Access {
                        lo,
                        hi: lo + stride,
                        ..target.access
                    };
                }
            }
            Some(i) => {
                let name = self.text(segment.name.symbol).to_string();
                let message = format!("the index {i} is outside of the array `{name}`");
                self.report(
                    Diagnostic::warning(Code::IndexAlwaysOutside, index.span, message)
                        .label(format!(
                            "`{name}` has {len} element{}",
                            if len == 1 { "" } else { "s" }
                        ))
                        .help("the checker reports a model error when this statement is executed"),
                );
                target.dynamic.push((index, len, stride));
            }
            None => target.dynamic.push((index, len, stride)),
        }
        Some(())
    }

    /// Emits the address of a target with computed indices.
    pub(super) fn address(&mut self, emit: &mut Emit, target: &Target<'_>) {
        let own = target.region == Region::Local && target.remote.is_none();
        emit.push(match own && self.in_procedure() {
            true => Instr::Address(target.offset),
            false => Instr::Const(target.offset as i32),
        });
        for &(index, len, stride) in &target.dynamic {
            self.expr(emit, index);
            emit.push(Instr::Index {
                len,
                stride,
                span: index.span,
            });
            emit.footprint.specials.can_fail = true;
        }
    }

    /// Emits a load of a scalar; reports arrays and structures.
    pub(super) fn load(&mut self, emit: &mut Emit, target: &Target<'_>) {
        let Some((scalar, _)) = self.need_scalar(target) else {
            emit.push(Instr::Const(0));
            return;
        };
        emit.footprint.read(target.access);
        match (target.remote, target.cell(scalar)) {
            (None, Some(cell)) => emit.push(Instr::Load(cell)),
            (None, None) => {
                self.address(emit, target);
                emit.push(Instr::LoadAt(target.region, scalar));
            }
            (Some(proctype), Some(cell)) => {
                emit.push(Instr::RemoteLoad {
                    proctype,
                    offset: cell.offset,
                    ty: scalar,
                    span: target.span,
                });
            }
            (Some(proctype), None) => {
                self.address(emit, target);
                emit.push(Instr::RemoteLoadAt {
                    proctype,
                    ty: scalar,
                    span: target.span,
                });
            }
        }
    }

    /// Emits a store of the value that `value` leaves.
    pub(super) fn store(
        &mut self,
        emit: &mut Emit,
        target: &Target<'_>,
        value: impl FnOnce(&mut Self, &mut Emit),
    ) {
        let Some((scalar, _)) = self.need_scalar(target) else {
            return;
        };
        emit.footprint.write(target.access);
        match target.cell(scalar) {
            Some(cell) => {
                value(self, emit);
                emit.push(Instr::Store(cell));
            }
            None => {
                self.address(emit, target);
                value(self, emit);
                emit.push(Instr::StoreAt(target.region, scalar));
            }
        }
    }

    pub(super) fn need_scalar(&mut self, target: &Target<'_>) -> Option<(Scalar, Option<u32>)> {
        let found = target.scalar();
        if found.is_none() {
            let diagnostic = if target.ty.len.is_some() {
                Diagnostic::error(
                    Code::MissingIndex,
                    target.span,
                    "an array is used without an index",
                )
                .label("which element?")
            } else {
                Diagnostic::error(
                    Code::IncompleteStructure,
                    target.span,
                    "a structure is used as a single value",
                )
                .label("which field?")
            };
            self.report(diagnostic);
        }
        found
    }

    /// The proctype whose frame a region means here.
    pub(super) fn frame_owner(&self, region: Region) -> Option<ProctypeId> {
        match (region, self.context) {
            (Region::Local, super::scope::Context::Proctype(id)) => Some(id),
            _ => None,
        }
    }
}
