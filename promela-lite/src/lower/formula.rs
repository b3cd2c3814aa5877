//! `ltl` blocks: the boolean and temporal skeleton becomes a [`Formula`], the state conditions below it atoms.
//!
//! Equal conditions (by their text, macros expanded) are one atom.

use super::Lower;
use super::emit::Emit;
use super::scope::Context;
use crate::ast::{self, Binary, Expr, ExprKind, Spec, Unary, Unit};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Atom, AtomId, Formula, LtlProperty};
use crate::source::Span;
use crate::text::Text;

/// Nested operators in one formula.
const MAX_DEPTH: u32 = 500;

impl<'a> Lower<'a> {
    /// Lowers the `ltl` blocks of the model, then formulas from outside.
    pub(super) fn lower_formulas(&mut self, model: &'a Spec, extra: &'a [(String, Expr)]) {
        self.context = Context::Formula;
        for unit in &model.units {
            let Unit::Ltl {
                name,
                formula,
                span,
            } = unit
            else {
                continue;
            };
            let text = match name {
                Some(name) => self.text(name.symbol).to_string(),
                None => format!("ltl_{}", self.program.ltl.len()),
            };
            let formulas = self.program.ltl.iter().map(|p| (&p.name, p.span));
            let claims = self.program.claims.iter().map(|c| (&c.name, c.span));
            let earlier = formulas.chain(claims).find(|(name, _)| **name == text);
            if let Some((_, first)) = earlier {
                self.report(
                    Diagnostic::error(
                        Code::DuplicateName,
                        *span,
                        format!("there is a second property `{text}`"),
                    )
                    .secondary(first, "the first one"),
                );
                continue;
            }
            self.property(text, *span, formula);
        }
        for (name, formula) in extra {
            self.property(name.clone(), formula.span, formula);
        }
        self.context = Context::Global;
    }

    fn property(&mut self, name: String, span: Span, formula: &Expr) {
        let atoms = self.program.atoms.len();
        let mut formula = self.formula(formula);
        let refused = self.refused.take();
        if refused.is_some() {
            formula = Formula::True;
            self.program.atoms.truncate(atoms);
        }
        self.program.ltl.push(LtlProperty {
            name,
            span,
            formula,
            refused,
        });
    }

    /// Whether a `timeout` stands in a formula, which then cannot be checked.
    pub(super) fn refuse_timeout(&mut self, span: Span) -> bool {
        if self.context != Context::Formula {
            return false;
        }
        self.refused = Some("`timeout` in a formula".to_owned());
        self.report(
            Diagnostic::warning(
                Code::TimeoutInFormula,
                span,
                "this formula cannot be checked",
            )
            .label("`timeout` is not a condition on a state")
            .help("say which processes wait, by remote references to their labels"),
        );
        true
    }

    fn formula(&mut self, e: &Expr) -> Formula {
        if e.depth > MAX_DEPTH && temporal(e) {
            self.report(
                Diagnostic::error(
                    Code::TooDeep,
                    e.span,
                    "this formula nests too many operators",
                )
                .label(format!("more than {MAX_DEPTH} levels")),
            );
            return Formula::True;
        }
        self.formula_part(e)
    }

    fn formula_part(&mut self, e: &Expr) -> Formula {
        let one = |lower: &mut Self, a: &Expr| Box::new(lower.formula_part(a));
        match &*e.kind {
            ExprKind::Bool(true) | ExprKind::Number(1) => Formula::True,
            ExprKind::Bool(false) | ExprKind::Number(0) => Formula::False,
            ExprKind::Unary(Unary::Not, a) => Formula::Not(one(self, a)),
            ExprKind::Unary(Unary::Next, a) => Formula::Next(one(self, a)),
            ExprKind::Unary(Unary::Always, a) => Formula::Always(one(self, a)),
            ExprKind::Unary(Unary::Eventually, a) => Formula::Eventually(one(self, a)),
            ExprKind::Binary(op, a, b) => {
                let make: fn(Box<Formula>, Box<Formula>) -> Formula = match op {
                    Binary::And => Formula::And,
                    Binary::Or => Formula::Or,
                    Binary::Implies => Formula::Implies,
                    Binary::Equiv => Formula::Equiv,
                    Binary::Until => Formula::Until,
                    Binary::WeakUntil => Formula::WeakUntil,
                    Binary::Release => Formula::Release,
                    _ => return self.atom(e),
                };
                let a = one(self, a);
                let b = one(self, b);
                make(a, b)
            }
            _ => self.atom(e),
        }
    }

    fn atom(&mut self, e: &Expr) -> Formula {
        let text = Text::of_expr(&self.session.symbols, e);
        if let Some(index) = self.program.atoms.iter().position(|a| a.text == text) {
            return Formula::Atom(AtomId(index as u32));
        }
        if contains_run(e) {
            self.report(
                Diagnostic::error(
                    Code::NotAStateCondition,
                    e.span,
                    "this is not a condition on a state",
                )
                .help("`run` cannot be used in formulas"),
            );
        }
        let mut emit = Emit::default();
        let value = self.expr(&mut emit, e);
        let (code, footprint) = emit.finish(&mut self.program);
        if let Some(value) = value {
            return if value == 0 {
                Formula::False
            } else {
                Formula::True
            };
        }
        self.program.atoms.push(Atom {
            code,
            text,
            span: e.span,
            footprint,
        });
        Formula::Atom(AtomId(self.program.atoms.len() as u32 - 1))
    }
}

/// Whether the formula is more than one atom.
fn temporal(e: &Expr) -> bool {
    matches!(
        &*e.kind,
        ExprKind::Unary(
            Unary::Not | Unary::Next | Unary::Always | Unary::Eventually,
            _
        ) | ExprKind::Binary(
            Binary::And
                | Binary::Or
                | Binary::Implies
                | Binary::Equiv
                | Binary::Until
                | Binary::WeakUntil
                | Binary::Release,
            _,
            _
        )
    )
}

fn contains_run(e: &ast::Expr) -> bool {
    match &*e.kind {
        ExprKind::Run { .. } => true,
        ExprKind::Unary(_, a) => contains_run(a),
        ExprKind::Binary(_, a, b) => contains_run(a) || contains_run(b),
        ExprKind::Conditional(a, b, c) => contains_run(a) || contains_run(b) || contains_run(c),
        _ => false,
    }
}
