//! Files, positions and expansions.
//!
//! All texts of a session share one space of positions, as in rustc: a file occupies `[base, base + len]`, so a
//! [`Span`] is two numbers and the identity of the expansion that put the token there. A token that a macro or an
//! inline produced keeps the position where it was *written*, and its [`ExpnId`] leads to the call; the call site is
//! itself a span and may lie in another expansion, so the whole chain can be shown.
//!
//! Lines and columns are computed only on demand, that is, for a diagnostic.

use crate::lexer::INVALID_BYTE;
use crate::symbol::Symbol;

use std::sync::{Arc, OnceLock};

/// What some editors put in front of a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file of the session.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct FileId(u32);

/// An expansion of the session; zero stands for text that no expansion produced.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExpnId(u32);

impl ExpnId {
    /// Not from an expansion.
    pub const NONE: ExpnId = ExpnId(0);

    /// From the number that [`ExpnId::raw`] gave.
    pub fn from_raw(raw: u32) -> ExpnId {
        ExpnId(raw)
    }

    /// As a number.
    pub fn raw(self) -> u32 {
        self.0
    }
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

    /// The empty span just after this one.
    pub fn end(self) -> Span {
        Span {
            lo: self.hi,
            ..self
        }
    }

    /// Whether nothing was written here; an implied semicolon has such a span.
    pub fn is_empty(self) -> bool {
        self.lo == self.hi
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

/// One replacement of a call by a body, or of a parameter by an argument.
#[derive(Copy, Clone, Debug)]
pub struct Expansion {
    /// Macro or inline.
    pub kind: ExpansionKind,
    /// Its name.
    pub name: Symbol,
    /// Where it was called.
    pub call_site: Span,
    /// Where it was defined; for the tokens of an argument, where the parameter stands in the body.
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

/// A line marker: from position `at` on, lines count from `line`, in `file` if given.
#[derive(Debug)]
struct Marker {
    at: u32,
    line: u32,
    file: Option<String>,
}

#[derive(Debug)]
struct File {
    name: String,
    base: u32,
    text: Arc<str>,
    markers: Vec<Marker>,
    /// Positions of the first bytes of all lines.
    lines: OnceLock<Vec<u32>>,
}

impl File {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = self
                .text
                .bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n');
            std::iter::once(self.base)
                .chain(breaks.map(|(at, _)| self.base + at as u32 + 1))
                .collect()
        })
    }

    /// The index of the line that holds `position`.
    fn line_index(&self, position: u32) -> usize {
        self.lines()
            .partition_point(|&start| start <= position)
            .saturating_sub(1)
    }
}

/// All texts and expansions of a session.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<File>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// Adds a text under `name`; `None` if the session would outgrow 32-bit positions.
    ///
    /// Bytes that are no UTF-8 (old models have such comments) are replaced one for one by a control character that
    /// the lexer refuses outside comments and strings, so that positions stay those of the file. A byte order mark in
    /// front is no part of the text.
    pub fn add_file(&mut self, name: &str, mut bytes: Vec<u8>) -> Option<FileId> {
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        let base = self.end();
        let end = u32::try_from(bytes.len())
            .ok()
            .and_then(|len| base.checked_add(len));
        end.filter(|&end| end < u32::MAX - 1)?;
        let text =
            String::from_utf8(bytes).unwrap_or_else(|error| replace_invalid(error.as_bytes()));
        let file = File {
            name: name.to_owned(),
            base,
            text: text.into(),
            markers: Vec::new(),
            lines: OnceLock::new(),
        };
        self.files.push(file);
        Some(FileId(self.files.len() as u32 - 1))
    }

    /// Records one expansion.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpnId {
        self.expansions.push(expansion);
        ExpnId(self.expansions.len() as u32)
    }

    /// Records that from position `at` on, the lines of the file there count from `line`, in `file` if given.
    pub fn add_marker(&mut self, at: u32, line: u32, file: Option<String>) {
        if let Some(index) = self.file_index(at) {
            self.files[index].markers.push(Marker { at, line, file });
        }
    }

    /// The expansion behind `id`, if it is one.
    pub fn expansion(&self, id: ExpnId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// The position of the first byte of the next file.
    pub fn end(&self) -> u32 {
        let last = self.files.last();
        last.map_or(1, |last| last.base + last.text.len() as u32 + 1)
    }

    /// The text of a file, and the position of its first byte.
    pub fn text(&self, file: FileId) -> (Arc<str>, u32) {
        let file = &self.files[file.0 as usize];
        (file.text.clone(), file.base)
    }

    /// The file that holds `span`, if there is one.
    pub fn file_of(&self, span: Span) -> Option<FileId> {
        self.file_index(span.lo).map(|index| FileId(index as u32))
    }

    /// The name under which a file was added.
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    fn file_index(&self, position: u32) -> Option<usize> {
        self.files
            .partition_point(|file| file.base <= position)
            .checked_sub(1)
    }

    /// Where `span` begins. A span that is nowhere gives an empty file name.
    pub fn locate(&self, span: Span) -> Location {
        let Some(index) = self.file_index(span.lo) else {
            return Location {
                file: String::new(),
                line: 0,
                column: 0,
            };
        };
        let file = &self.files[index];
        let line = file.line_index(span.lo);
        let start = file.lines()[line];
        let before =
            &file.text.as_bytes()[(start - file.base) as usize..(span.lo - file.base) as usize];
        // Bytes that do not continue a character, so that a position inside one cannot hurt.
        let column = before.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u32 + 1;
        let (name, line) = match file
            .markers
            .iter()
            .rev()
            .find(|marker| marker.at <= span.lo)
        {
            Some(marker) => {
                let passed = line - file.line_index(marker.at);
                let named = file
                    .markers
                    .iter()
                    .rev()
                    .filter(|m| m.at <= span.lo)
                    .find_map(|m| m.file.as_ref());
                (
                    named.unwrap_or(&file.name),
                    marker.line.saturating_add(passed as u32).max(1),
                )
            }
            None => (&file.name, line as u32 + 1),
        };
        Location {
            file: name.clone(),
            line,
            column,
        }
    }

    /// The text of `span`, cut at the end of its file.
    pub fn snippet(&self, span: Span) -> &str {
        let Some(index) = self.file_index(span.lo) else {
            return "";
        };
        let file = &self.files[index];
        let hi = (span.hi - file.base).min(file.text.len() as u32);
        file.text
            .get((span.lo - file.base) as usize..hi as usize)
            .unwrap_or("")
    }

    /// The whole line in which `span` begins, without its end, and the position of its first byte.
    pub fn line_text(&self, span: Span) -> (&str, u32) {
        let Some(index) = self.file_index(span.lo) else {
            return ("", 0);
        };
        let file = &self.files[index];
        let start = file.lines()[file.line_index(span.lo)];
        let rest = &file.text[(start - file.base) as usize..];
        (
            rest.split('\n').next().unwrap_or("").trim_end_matches('\r'),
            start,
        )
    }

    /// The outermost call site of `span`: a place in a file, outside every expansion.
    pub fn root(&self, mut span: Span) -> Span {
        while let Some(expansion) = self.expansion(span.expn) {
            span = expansion.call_site;
        }
        span
    }
}

/// The text of `bytes` with every byte of a broken character replaced.
fn replace_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| INVALID_BYTE));
    }
    text
}
