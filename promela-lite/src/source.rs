//! Files, positions and expansions.
//!
//! All texts of a session share one space of positions, as in rustc: a file occupies `[base, base + len)`, so a
//! [`Span`] is two numbers and the identity of the expansion that put the token there. A token that a macro or an
//! inline produced keeps the position where it was *written*, and its [`ExpnId`] leads to the call; the call site is
//! itself a span and may lie in another expansion, so the whole chain can be shown.

use crate::symbol::Symbol;
use std::path::Path;

/// A file of the session.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct FileId(u32);

/// An expansion of the session; zero stands for text that no expansion produced.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExpnId(u32);

impl ExpnId {
    /// Not from an expansion.
    pub const NONE: ExpnId = ExpnId(0);
}

/// A stretch of text.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// The expansion that produced the token.
    pub expn: ExpnId,
}

impl Span {
    /// No place at all, for diagnostics about nothing in particular.
    pub const NONE: Span = Span {
        lo: 0,
        hi: 0,
        expn: ExpnId::NONE,
    };

    /// From the start of `self` to the end of `other`; `self` if the two were not written in one go.
    pub fn to(self, other: Span) -> Span {
        if self.expn == other.expn && self.lo <= other.hi {
            Span {
                hi: other.hi,
                ..self
            }
        } else {
            self
        }
    }
}

/// What kind of text an expansion stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ExpansionKind {
    /// A `#define`.
    Macro,
    /// An `inline`.
    Inline,
}

/// One replacement of a call by a body.
#[derive(Copy, Clone, Debug)]
pub struct Expansion {
    /// Macro or inline.
    pub kind: ExpansionKind,
    /// Its name.
    pub name: Symbol,
    /// Where it was called.
    pub call_site: Span,
    /// Where it was defined; for an argument, where the parameter stands in the body.
    pub definition: Span,
}

/// A place as a person names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The name of the file, after line markers.
    pub file: String,
    /// The line, counted from 1, after line markers.
    pub line: u32,
    /// The column, counted from 1, in characters.
    pub column: u32,
}

/// All texts and expansions of a session.
#[derive(Default)]
pub struct SourceMap {
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// The expansion behind `id`, if it is one.
    pub fn expansion(&self, id: ExpnId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// Where `span` begins.
    pub fn locate(&self, _span: Span) -> Location {
        Location {
            file: String::new(),
            line: 1,
            column: 1,
        }
    }

    /// The outermost call site of `span`: a place in a file, outside every expansion.
    pub fn root(&self, mut span: Span) -> Span {
        while let Some(expansion) = self.expansion(span.expn) {
            span = expansion.call_site;
        }
        span
    }
}

/// How the front end reads files; it has no other access to the world.
pub trait Loader {
    /// The contents of the file at `path`.
    fn load(&mut self, path: &Path) -> std::io::Result<Vec<u8>>;
}
