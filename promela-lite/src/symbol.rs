//! Interned names.
//!
//! Every word of a model is hashed once, when the lexer meets it; from then on a name is a [`Symbol`], a `u32` that
//! compares and hashes in one instruction. The words the front end itself knows (keywords, directive names, the
//! operators of temporal logic) are interned first and in a fixed order, so that "is this a keyword?" is an index
//! comparison and never a second lookup.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An interned string; equal symbols of one [`Interner`] are equal strings.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// The position of the symbol in its interner, for side tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn from_index(index: u32) -> Symbol {
        Symbol(index)
    }
}

/// The table of strings behind the symbols.
#[derive(Clone, Debug)]
pub struct Interner {
    symbols: FxHashMap<Arc<str>, Symbol>,
    strings: Vec<Arc<str>>,
}

impl Interner {
    /// An interner that knows the words of the language.
    pub fn new() -> Interner {
        let mut interner = Interner {
            symbols: FxHashMap::default(),
            strings: Vec::new(),
        };
        for word in crate::token::words() {
            interner.intern(word);
        }
        interner
    }

    /// The symbol of `text`, made on first sight.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.strings.len() as u32);
        let shared: Arc<str> = text.into();
        self.strings.push(shared.clone());
        self.symbols.insert(shared, symbol);
        symbol
    }

    /// The symbol of `text` if it was ever interned.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The string of `symbol`, which must come from this interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.strings[symbol.index()]
    }
}

impl Default for Interner {
    fn default() -> Self {
        Interner::new()
    }
}
