//! Names and what they mean at a place in the text.
//!
//! Globals are visible from their declaration on; locals in their block, from their declaration on. A name of an mtype
//! constant always means the constant. Labels have scopes too, but a `goto` finds a label of its process wherever it
//! stands, preferring its own block and the blocks around it.

use super::Lower;
use super::types::VarEntity;
use crate::ast::Name;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::program::ProctypeId;
use crate::source::Span;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Copy, Clone)]
pub(super) enum Entity {
    Var(VarEntity),
    Constant { set: u32, value: i32 },
}

/// A global name: visible from unit `from` on.
pub(super) struct Global {
    pub(super) entity: Entity,
    pub(super) from: u32,
    pub(super) span: Span,
}

/// Names in scope.
#[derive(Default)]
pub(super) struct Scopes {
    pub(super) globals: FxHashMap<Symbol, Global>,
    blocks: Vec<FxHashMap<Symbol, VarEntity>>,
    /// The number of each open block among its siblings, and how many blocks each has had.
    path: Vec<u32>,
    counts: Vec<u32>,
}

impl Scopes {
    /// Opens a block.
    pub(super) fn open(&mut self) {
        let level = self.path.len();
        if self.counts.len() <= level {
            self.counts.push(0);
        }
        self.counts[level] += 1;
        self.path.push(self.counts[level]);
        self.blocks.push(FxHashMap::default());
    }

    /// Closes it.
    pub(super) fn close(&mut self) {
        self.path.pop();
        self.blocks.pop();
    }

    /// The open blocks, outermost first.
    pub(super) fn path(&self) -> &[u32] {
        &self.path
    }
}

/// Whether an open process body is at hand, and of which kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Global,
    Proctype(ProctypeId),
    Claim,
    Trace,
    Formula,
}

impl Lower<'_> {
    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.session.symbols.text(symbol)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.session.diagnostics.push(diagnostic);
    }

    /// `_1_2`: the blocks around the current place inside the body.
    pub(super) fn scope_path(&self) -> String {
        self.scopes
            .path()
            .iter()
            .skip(1)
            .map(|n| format!("_{n}"))
            .collect()
    }

    /// What a name means here, if anything.
    pub(super) fn lookup(&self, name: Symbol) -> Option<Entity> {
        if let Some(global) = self.scopes.globals.get(&name)
            && matches!(global.entity, Entity::Constant { .. })
            && global.from <= self.unit
        {
            return Some(global.entity);
        }
        if let Some(&var) = self
            .scopes
            .blocks
            .iter()
            .rev()
            .find_map(|block| block.get(&name))
        {
            return Some(Entity::Var(var));
        }
        self.scopes
            .globals
            .get(&name)
            .filter(|g| g.from <= self.unit)
            .map(|g| g.entity)
    }

    /// Declares a local variable in the innermost block. As in SPIN, it cannot hide another one.
    pub(super) fn declare_local(&mut self, name: Name, var: VarEntity) {
        if self.is_predefined(name) {
            return;
        }
        let outer = self
            .scopes
            .blocks
            .iter()
            .rev()
            .find_map(|b| b.get(&name.symbol));
        let global = self.scopes.globals.get(&name.symbol);
        let proctype = self.proctype_span(name.symbol);
        let earlier = outer
            .map(|v| v.span)
            .or(proctype)
            .or(global.filter(|g| g.from <= self.unit).map(|g| g.span));
        if let Some(earlier) = earlier {
            self.duplicate(name, earlier);
        }
        if let Some(block) = self.scopes.blocks.last_mut() {
            block.insert(name.symbol, var);
        }
    }

    /// Declares a global name.
    pub(super) fn declare_global(&mut self, name: Name, entity: Entity) {
        if self.is_predefined(name) {
            return;
        }
        let variable = self.scopes.globals.get(&name.symbol).map(|g| g.span);
        if let Some(earlier) = variable.or(self.proctype_span(name.symbol)) {
            return self.duplicate(name, earlier);
        }
        let global = Global {
            entity,
            from: self.unit,
            span: name.span,
        };
        self.scopes.globals.insert(name.symbol, global);
    }

    /// Where the proctype or procedure of that name is declared.
    pub(super) fn proctype_span(&self, name: Symbol) -> Option<Span> {
        if let Some(procedure) = self.procedure_names.get(&name) {
            return Some(self.procedures[procedure.index()].span);
        }
        let id = self.proctype_names.get(&name)?;
        Some(self.program.proctypes[id.index()].span)
    }

    /// Refuses a declaration of a name that has a meaning already.
    fn is_predefined(&mut self, name: Name) -> bool {
        let text = self.text(name.symbol);
        let predefined = super::place::Special::of(text).is_some();
        if predefined {
            let message = format!("`{text}` is predefined");
            self.report(
                Diagnostic::error(Code::DuplicateName, name.span, message)
                    .label("cannot be declared")
                    .help("choose another name"),
            );
        }
        predefined
    }

    pub(super) fn duplicate(&mut self, name: Name, first: Span) {
        let message = format!("the name `{}` is declared twice", self.text(name.symbol));
        self.report(
            Diagnostic::error(Code::DuplicateName, name.span, message)
                .label("declared again here")
                .secondary(first, "first declared here"),
        );
    }

    /// Reports a name without meaning, with a guess at what was meant.
    pub(super) fn undeclared(&mut self, name: Name) {
        let text = self.text(name.symbol).to_string();
        if let Some(global) = self.scopes.globals.get(&name.symbol) {
            let span = global.span;
            return self.report(
                Diagnostic::error(
                    Code::UndeclaredName,
                    name.span,
                    format!("`{text}` is used before its declaration"),
                )
                .label("not known yet")
                .secondary(span, "declared here")
                .help("move the declaration before this use"),
            );
        }
        let mut diagnostic = Diagnostic::error(
            Code::UndeclaredName,
            name.span,
            format!("`{text}` is not declared"),
        )
        .label("unknown name");
        if let Some(guess) = self.did_you_mean(&text) {
            diagnostic = diagnostic.help(format!("did you mean `{guess}`?"));
        }
        self.report(diagnostic);
    }

    fn did_you_mean(&self, text: &str) -> Option<String> {
        let locals = self.scopes.blocks.iter().flat_map(|b| b.keys());
        let names = locals
            .chain(self.scopes.globals.keys())
            .map(|&s| self.text(s));
        self.guess(text, names)
    }

    /// The nearest of some names, while errors are still shown.
    pub(super) fn guess<'n>(
        &self,
        text: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<String> {
        let shown = !self.session.diagnostics.is_full(Severity::Error);
        shown
            .then(|| crate::spelling::closest(text, names))
            .flatten()
    }
}
