//! First values of variables: where a process starts, and at a declaration in the middle of a body.

use super::Lower;
use super::emit::Emit;
use super::skeleton::NodeId;
use super::types::{Ty, VarEntity, VarTy};
use crate::ast;
use crate::code::{Cell, Instr, Region};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Access, Place, VarId};
use crate::source::Span;
use crate::text::Text;

impl<'a> Lower<'a> {
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

/// The value of an expression a second time: as a constant, or from where it was stored. The expression itself may be
/// long, and the array too.
fn repeated(value: Option<i32>, stored: Cell) -> Instr {
    value.map_or(Instr::Load(stored), Instr::Const)
}
