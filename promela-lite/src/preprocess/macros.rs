//! The table of macros.
//!
//! All bodies live in one arena; a macro is found by the index of its name's symbol, because the question "is this
//! word a macro?" is asked for every word of the model.

use crate::lexer::Raw;
use crate::source::Span;
use crate::symbol::Symbol;
use std::ops::Range;

/// A macro of the table, past or present.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct MacroId(u32);

impl MacroId {
    /// The number as it travels in the value of a raw token.
    pub(crate) fn value(self) -> u32 {
        self.0
    }

    pub(crate) fn from_value(value: u32) -> MacroId {
        MacroId(value)
    }
}

/// What a macro takes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) count: u32,
    /// The last one takes all the arguments that are left, with the commas between them.
    pub(crate) variadic: bool,
}

/// One `#define`.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    /// The parameters, if the macro takes any list of them.
    pub(crate) parameters: Option<Parameters>,
    /// The place of the name in the definition.
    pub(crate) definition: Span,
    body: Range<u32>,
    /// Its expansion is under way, so its name is not a call now.
    pub(crate) disabled: bool,
}

/// The macros of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct MacroTable {
    /// By symbol: one more than the number of the macro, zero if there is none.
    by_symbol: Vec<u32>,
    macros: Vec<Macro>,
    bodies: Vec<Raw>,
}

impl MacroTable {
    /// The macro that `symbol` names now.
    pub(crate) fn find(&self, symbol: Symbol) -> Option<MacroId> {
        self.by_symbol
            .get(symbol.index())?
            .checked_sub(1)
            .map(MacroId)
    }

    pub(crate) fn get(&self, id: MacroId) -> &Macro {
        &self.macros[id.0 as usize]
    }

    pub(crate) fn set_disabled(&mut self, id: MacroId, disabled: bool) {
        self.macros[id.0 as usize].disabled = disabled;
    }

    /// How many tokens the body of a macro has.
    pub(crate) fn body_len(&self, id: MacroId) -> u32 {
        let body = &self.get(id).body;
        body.end - body.start
    }

    /// The tokens of the body; parameters are tokens of their own kind.
    pub(crate) fn body(&self, id: MacroId) -> &[Raw] {
        let body = &self.get(id).body;
        &self.bodies[body.start as usize..body.end as usize]
    }

    /// Defines `name`; answers with the earlier definition if that was a different one.
    pub(crate) fn define(
        &mut self,
        name: Symbol,
        definition: Span,
        parameters: Option<Parameters>,
        body: &[Raw],
    ) -> Option<Span> {
        let earlier = self
            .find(name)
            .filter(|&id| !self.same(id, parameters, body))
            .map(|id| self.get(id).definition);
        let start = self.bodies.len() as u32;
        self.bodies.extend_from_slice(body);
        let body = start..self.bodies.len() as u32;
        self.macros.push(Macro {
            parameters,
            definition,
            body,
            disabled: false,
        });
        if self.by_symbol.len() <= name.index() {
            self.by_symbol.resize(name.index() + 1, 0);
        }
        self.by_symbol[name.index()] = self.macros.len() as u32;
        earlier
    }

    /// Forgets `name`, if it was defined.
    pub(crate) fn undefine(&mut self, name: Symbol) {
        if let Some(slot) = self.by_symbol.get_mut(name.index()) {
            *slot = 0;
        }
    }

    fn same(&self, id: MacroId, parameters: Option<Parameters>, body: &[Raw]) -> bool {
        let key = |raw: &Raw| (raw.kind, raw.value);
        self.get(id).parameters == parameters
            && self.body(id).iter().map(key).eq(body.iter().map(key))
    }
}
