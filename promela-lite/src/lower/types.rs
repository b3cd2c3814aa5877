//! Types and where variables lie.
//!
//! A frame is packed: no padding, each scalar as many bytes as its type needs. Structures are laid out in order of their
//! fields. `typedef`s are global and cannot be recursive, since a type must be defined before it is used.

use super::Lower;
use crate::ast;
use crate::code::{Region, Scalar};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Frame, MtypeSet, NamedCell, Var, VarId, Visibility};
use crate::source::Span;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Bytes that one variable or frame may have.
pub(super) const MAX_SIZE: u64 = 1 << 20;

/// Index into [`Lower::structs`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct StructId(pub(super) u32);

/// The type of a single value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Scalar { scalar: Scalar, mtype: Option<u32> },
    Struct(StructId),
}

impl Ty {
    pub(super) const INT: Ty = Ty::Scalar {
        scalar: Scalar::Int,
        mtype: None,
    };

    /// Which set of constants it takes its values from.
    pub(super) fn mtype(self) -> Option<u32> {
        match self {
            Ty::Scalar { mtype, .. } => mtype,
            Ty::Struct(_) => None,
        }
    }

    pub(super) fn is_chan(self) -> bool {
        matches!(
            self,
            Ty::Scalar {
                scalar: Scalar::Chan,
                ..
            }
        )
    }
}

/// The type of a variable or field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct VarTy {
    pub(super) ty: Ty,
    /// Number of elements of an array.
    pub(super) len: Option<u32>,
}

/// A `typedef`.
pub(super) struct StructDef<'a> {
    pub(super) name: Symbol,
    pub(super) span: Span,
    pub(super) fields: Vec<Field<'a>>,
    /// Indices of fields.
    by_name: FxHashMap<Symbol, usize>,
    pub(super) size: u32,
}

impl<'a> StructDef<'a> {
    pub(super) fn field(&self, name: Symbol) -> Option<&Field<'a>> {
        self.by_name.get(&name).map(|&index| &self.fields[index])
    }
}

/// A field of a structure.
pub(super) struct Field<'a> {
    pub(super) name: Symbol,
    pub(super) ty: VarTy,
    pub(super) offset: u32,
    pub(super) decl: &'a ast::Declarator,
}

/// A variable that names can be resolved to.
#[derive(Copy, Clone, Debug)]
pub(super) struct VarEntity {
    pub(super) region: Region,
    pub(super) offset: u32,
    pub(super) ty: VarTy,
    pub(super) span: Span,
    /// In its frame.
    pub(super) id: VarId,
    /// The value when it is declared with a constant: SPIN lets such a variable be the bound of an array.
    pub(super) constant: Option<i32>,
}

impl<'a> Lower<'a> {
    /// Bytes of one element.
    pub(super) fn size_of(&self, ty: Ty) -> u32 {
        match ty {
            Ty::Scalar { scalar, .. } => scalar.size(),
            Ty::Struct(id) => self.structs[id.0 as usize].size,
        }
    }

    /// Bytes of the whole variable.
    pub(super) fn full_size(&self, ty: VarTy) -> u64 {
        u64::from(self.size_of(ty.ty)) * u64::from(ty.len.unwrap_or(1))
    }

    /// Resolves a written type.
    pub(super) fn type_of(&mut self, ty: &ast::TypeRef, width: Option<ast::Number>) -> Ty {
        let scalar = match ty.kind {
            ast::TypeKind::Bit | ast::TypeKind::Bool => Scalar::Bit,
            ast::TypeKind::Byte => Scalar::Byte,
            ast::TypeKind::Pid => Scalar::Pid,
            ast::TypeKind::Short => Scalar::Short,
            ast::TypeKind::Int => Scalar::Int,
            ast::TypeKind::Chan => Scalar::Chan,
            ast::TypeKind::Unsigned => self.unsigned(ty.span, width),
            ast::TypeKind::Mtype(set) => {
                let mtype = Some(self.mtype_set(set));
                return Ty::Scalar {
                    scalar: Scalar::Mtype,
                    mtype,
                };
            }
            ast::TypeKind::User(name) => {
                return match self.struct_names.get(&name) {
                    Some(&id) => Ty::Struct(id),
                    None => {
                        let message = format!("unknown type `{}`", self.text(name));
                        self.report(Diagnostic::error(Code::UndeclaredName, ty.span, message));
                        Ty::INT
                    }
                };
            }
        };
        if let (Some(width), false) = (width, ty.kind == ast::TypeKind::Unsigned) {
            self.report(
                Diagnostic::error(Code::BadWidth, width.span, "only `unsigned` has a width")
                    .label("not possible for this type")
                    .help("write `unsigned x : 5` for a variable of five bits"),
            );
        }
        Ty::Scalar {
            scalar,
            mtype: None,
        }
    }

    fn unsigned(&mut self, span: Span, width: Option<ast::Number>) -> Scalar {
        match width {
            Some(width) if (1..=31).contains(&width.value) => Scalar::Unsigned(width.value as u8),
            Some(width) => {
                self.report(
                    Diagnostic::error(Code::BadWidth, width.span, "this width is not possible")
                        .label("must be from 1 to 31"),
                );
                Scalar::Int
            }
            None => {
                self.report(
                    Diagnostic::error(Code::BadWidth, span, "an `unsigned` variable needs a width")
                        .help("write `unsigned x : 5` for a variable of five bits"),
                );
                Scalar::Int
            }
        }
    }

    /// The number of a set of constants. They may be declared later; that they are is checked in the end.
    fn mtype_set(&mut self, set: Option<ast::Name>) -> u32 {
        let Some(set) = set else { return 0 };
        if let Some(&index) = self.mtype_sets.get(&set.symbol) {
            return index;
        }
        let name = self.text(set.symbol).to_string();
        self.awaited_sets.push(set);
        self.program.mtypes.push(MtypeSet {
            name,
            names: Vec::new(),
        });
        let index = self.program.mtypes.len() as u32 - 1;
        self.mtype_sets.insert(set.symbol, index);
        index
    }

    /// The type of a declared variable, array bound included.
    pub(super) fn declared_type(&mut self, ty: &ast::TypeRef, var: &ast::Declarator) -> VarTy {
        let element = self.type_of(ty, var.width);
        let len = var.size.as_ref().map(|size| self.array_bound(size));
        // As SPIN documents it, an array of bits is stored as one of bytes: its elements keep eight bits.
        let element = match (element, len) {
            (
                Ty::Scalar {
                    scalar: Scalar::Bit,
                    mtype,
                },
                Some(_),
            ) => Ty::Scalar {
                scalar: Scalar::Byte,
                mtype,
            },
            _ => element,
        };
        let ty = VarTy { ty: element, len };
        if self.full_size(ty) > MAX_SIZE {
            self.report(
                Diagnostic::error(Code::TooLarge, var.name.span, "this variable is too large")
                    .label(format!(
                        "{} bytes; at most {MAX_SIZE} are possible",
                        self.full_size(ty)
                    )),
            );
            return VarTy {
                ty: element,
                len: Some(1),
            };
        }
        ty
    }

    fn array_bound(&mut self, size: &ast::Expr) -> u32 {
        match self.constant_or_initial(size) {
            Some(n) if n > 0 => n as u32,
            Some(n) => {
                self.report(
                    Diagnostic::error(
                        Code::BadArraySize,
                        size.span,
                        "an array must have at least one element",
                    )
                    .label(format!("this is {n}")),
                );
                1
            }
            None => {
                self.not_constant(size, "the size of an array");
                1
            }
        }
    }

    /// Reports that a constant is needed.
    pub(super) fn not_constant(&mut self, e: &ast::Expr, what: &str) {
        self.report(
            Diagnostic::error(
                Code::NotConstant,
                e.span,
                format!("{what} must be a constant"),
            )
            .label("not known before the model runs"),
        );
    }

    /// Defines a `typedef`.
    pub(super) fn define_struct(&mut self, name: ast::Name, decls: &'a [ast::Decl]) {
        let mut fields: Vec<Field<'a>> = Vec::new();
        let mut by_name = FxHashMap::default();
        let mut size = 0u64;
        for decl in decls {
            self.check_visibility(decl, false);
            for var in &decl.vars {
                let ty = self.declared_type(&decl.ty, var);
                if let Some(&earlier) = by_name.get(&var.name.symbol) {
                    let earlier: &Field<'a> = &fields[earlier];
                    let first = earlier.decl.name.span;
                    let message = format!(
                        "the field `{}` is declared twice",
                        self.text(var.name.symbol)
                    );
                    self.report(
                        Diagnostic::error(Code::DuplicateName, var.name.span, message)
                            .secondary(first, "the first one"),
                    );
                    continue;
                }
                by_name.insert(var.name.symbol, fields.len());
                fields.push(Field {
                    name: var.name.symbol,
                    ty,
                    offset: size as u32,
                    decl: var,
                });
                size = (size + self.full_size(ty)).min(MAX_SIZE + 1);
            }
        }
        if size > MAX_SIZE {
            self.report(Diagnostic::error(
                Code::TooLarge,
                name.span,
                "this type is too large",
            ));
            return;
        }
        if let Some(&earlier) = self.struct_names.get(&name.symbol) {
            let first = self.structs[earlier.0 as usize].span;
            let message = format!("the type `{}` is defined twice", self.text(name.symbol));
            self.report(
                Diagnostic::error(Code::DuplicateName, name.span, message)
                    .secondary(first, "the first one"),
            );
            return;
        }
        let id = StructId(self.structs.len() as u32);
        self.struct_names.insert(name.symbol, id);
        self.structs.push(StructDef {
            name: name.symbol,
            span: name.span,
            fields,
            by_name,
            size: size as u32,
        });
    }

    /// Gives a variable its place at the end of a frame.
    pub(super) fn place(
        &mut self,
        frame: &mut Frame,
        region: Region,
        decl: &ast::Decl,
        var: &ast::Declarator,
        parameter: bool,
    ) -> VarEntity {
        let mut ty = self.declared_type(&decl.ty, var);
        if u64::from(frame.size) + self.full_size(ty) > MAX_SIZE {
            self.report(Diagnostic::error(
                Code::TooLarge,
                var.name.span,
                "these variables are too large together",
            ));
            ty = VarTy {
                ty: Ty::INT,
                len: None,
            };
        }
        let size = self.full_size(ty);
        let offset = frame.size;
        let mut cells = Vec::new();
        self.list_cells(ty, offset, &mut String::new(), &mut cells);
        let id = VarId(frame.vars.len() as u32);
        frame.size = offset.saturating_add(size as u32);
        frame.vars.push(Var {
            name: self.text(var.name.symbol).to_string(),
            scope: self.scope_path(),
            offset,
            size: size as u32,
            cells,
            span: var.name.span,
            visibility: visibility(decl),
            parameter,
        });
        let constant = match &var.init {
            Some(ast::Initialiser::Expr(e)) => self.constant(e),
            _ => None,
        };
        VarEntity {
            region,
            offset,
            ty,
            span: var.name.span,
            id,
            constant,
        }
    }

    /// The scalars of a variable in order, each with its path.
    pub(super) fn list_cells(
        &self,
        ty: VarTy,
        offset: u32,
        path: &mut String,
        out: &mut Vec<NamedCell>,
    ) {
        let mark = path.len();
        let element = self.size_of(ty.ty);
        for i in 0..ty.len.unwrap_or(1) {
            if ty.len.is_some() {
                let _ = write!(path, "[{i}]");
            }
            let start = offset + i * element;
            match ty.ty {
                Ty::Scalar { scalar, mtype } => {
                    out.push(NamedCell {
                        path: path.clone(),
                        offset: start,
                        ty: scalar,
                        mtype,
                    });
                }
                Ty::Struct(id) => {
                    for field in &self.structs[id.0 as usize].fields {
                        let inner = path.len();
                        path.push('.');
                        path.push_str(self.text(field.name));
                        self.list_cells(field.ty, start + field.offset, path, out);
                        path.truncate(inner);
                    }
                }
            }
            path.truncate(mark);
        }
    }

    /// The scalars that a message field, parameter or argument of this type consists of.
    pub(super) fn flatten(&self, ty: VarTy) -> Vec<NamedCell> {
        let mut cells = Vec::new();
        self.list_cells(ty, 0, &mut String::new(), &mut cells);
        cells
    }
}

fn visibility(decl: &ast::Decl) -> Visibility {
    match decl.visibility {
        None => Visibility::Plain,
        Some((ast::Visibility::Hidden, _)) => Visibility::Hidden,
        Some((ast::Visibility::Show, _)) => Visibility::Show,
        Some((ast::Visibility::Local, _)) => Visibility::Local,
    }
}
