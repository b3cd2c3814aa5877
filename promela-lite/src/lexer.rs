//! From the text of one file to raw tokens.
//!
//! The lexer reports no errors. What it cannot read becomes a token of an error kind, and that token turns into a
//! diagnostic only if it survives to the parser: an apostrophe in a region that `#if 0` removes, or anything at all
//! inside embedded C, is not reported. Words are interned here, so that every later pass compares numbers.
//!
//! Comments vanish, but a comment that spans lines still ends the line where it matters whether a token is the first
//! on its line (a C preprocessor prints a newline there, and Promela lets a newline end a statement). A backslash
//! before a newline joins the two lines.

use crate::source::{ExpnId, Span};
use crate::symbol::{Interner, Symbol};
use logos::{Lexer, Logos, Skip};
use std::borrow::Cow;

/// What stands for a byte that is no UTF-8 in a text; see [`crate::source::SourceMap::add_file`].
pub(crate) const INVALID_BYTE: char = '\u{1a}';

#[derive(Default)]
pub(crate) struct Extras {
    /// A comment since the last token spanned lines.
    line_broken: bool,
}

fn comment(lexer: &mut Lexer<'_, RawKind>) -> Skip {
    lexer.extras.line_broken |= lexer.slice().contains('\n');
    Skip
}

/// What a raw token is; keywords are still words.
#[derive(Logos, Copy, Clone, PartialEq, Eq, Debug)]
#[logos(extras = Extras)]
#[logos(skip r"[ \t\r\f\x0b]+")]
#[logos(skip r"\\[ \t\r]*\n")]
pub(crate) enum RawKind {
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex("[0-9]+")]
    Number,
    #[regex("[0-9]+[A-Za-z_][A-Za-z0-9_]*")]
    BadNumber,
    #[regex(r#""([^"\\\n]|\\[^\n]|\\[ \t\r]*\n)*""#)]
    Str,
    /// SPIN's other way to write a string.
    #[regex(r"\$[^$\n]*\$")]
    DollarStr,
    #[regex(r"'([^'\\\n]|\\[^\n])'")]
    Char,

    #[token("\n")]
    Newline,
    #[token("#")]
    Hash,
    #[token("##")]
    HashHash,
    #[token("\\")]
    Backslash,
    #[regex(r"/\*([^*]|\*+[^*/])*\*+/", comment)]
    #[regex(r"//([^\n\\]|\\[^\n]|\\[ \t\r]*\n)*\\?", comment, allow_greedy = true)]
    Comment,

    #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#)]
    UnterminatedString,
    #[regex(r"/\*([^*]|\*+[^*/])*\**")]
    UnterminatedComment,
    #[token("'")]
    #[regex("'([A-Za-z0-9_][A-Za-z0-9_]+)?'")]
    BadChar,
    /// Anything else: one character.
    Stray,
    /// A number that fits no 32 bits.
    BigNumber,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(";")]
    Semi,
    #[token("->")]
    Arrow,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("::")]
    DoubleColon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("@")]
    At,
    #[token("=")]
    Assign,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    Amp,
    #[token("^")]
    Caret,
    #[token("|")]
    Pipe,
    #[token(">")]
    Gt,
    #[token("<")]
    Lt,
    #[token(">=")]
    Ge,
    #[token("<=")]
    Le,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("~")]
    Tilde,
    #[token("!")]
    Bang,
    #[token("!!")]
    BangBang,
    #[token("?")]
    Query,
    #[token("??")]
    QueryQuery,
    #[token("++")]
    PlusPlus,
    #[token("--")]
    MinusMinus,

    /// Made by the preprocessor inside a macro body: parameter number `value`.
    Parameter,
    /// Made by the preprocessor inside a macro body: parameter number `value` beside a `##`, not to be expanded.
    PastedParameter,
    /// Made by the preprocessor inside a macro body: the operator `##`.
    Paste,
    /// Made by the preprocessor on its stack: nothing, in place of an empty argument or expansion.
    Placemarker,
    /// Made by the preprocessor inside a macro body: parameter number `value` as a string.
    Stringize,
    /// Made by the preprocessor on its stack: here the expansion of macro number `value` ends.
    EndOfMacro,
    /// Made by the preprocessor on its stack: here the argument under expansion ends.
    EndOfArgument,
}

/// A token before names are classified.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Raw {
    /// What it is.
    pub(crate) kind: RawKind,
    /// The first token on its line.
    pub(crate) starts_line: bool,
    /// A macro name met during its own expansion; it stays a name for good.
    pub(crate) painted: bool,
    /// White space stands before it, which counts when it is made part of a string.
    pub(crate) spaced: bool,
    /// The symbol of a word or string, the bits of a number or character.
    pub(crate) value: u32,
    /// One more than the symbol of its text if the preprocessor made it, so that its text stands nowhere; else zero.
    pub(crate) made: u32,
    /// Where it stands.
    pub(crate) span: Span,
}

impl Raw {
    /// A token without text or place.
    pub(crate) fn mark(kind: RawKind, value: u32) -> Raw {
        Raw {
            kind,
            starts_line: false,
            painted: false,
            spaced: false,
            value,
            made: 0,
            span: Span::NONE,
        }
    }

    /// The text, if the preprocessor made this token.
    pub(crate) fn made_text(&self) -> Option<Symbol> {
        self.made.checked_sub(1).map(Symbol::from_index)
    }

    /// The name that a word is.
    pub(crate) fn symbol(&self) -> Symbol {
        Symbol::from_index(self.value)
    }

    /// The name, if this is a word.
    pub(crate) fn word(&self) -> Option<Symbol> {
        (self.kind == RawKind::Word).then(|| self.symbol())
    }

    /// Whether this is the word `symbol`.
    pub(crate) fn is_word(&self, symbol: Symbol) -> bool {
        self.kind == RawKind::Word && self.value == symbol.index() as u32
    }
}

/// The raw tokens of `text`, whose first byte has position `base`; a last newline is supplied.
pub(crate) fn lex(text: &str, base: u32, symbols: &mut Interner) -> Vec<Raw> {
    let mut tokens = Vec::with_capacity(text.len() / 2 + 1);
    let mut lexer = RawKind::lexer(text);
    let mut starts_line = true;
    let mut end_before = 0;
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let span = Span {
            lo: base + range.start as u32,
            hi: base + range.end as u32,
            expn: ExpnId::NONE,
        };
        let kind = result.unwrap_or(RawKind::Stray);
        starts_line |= std::mem::take(&mut lexer.extras.line_broken);
        let (kind, value) = evaluate(kind, lexer.slice(), symbols);
        tokens.push(Raw {
            kind,
            starts_line,
            painted: false,
            spaced: starts_line || range.start != end_before,
            value,
            made: 0,
            span,
        });
        starts_line = kind == RawKind::Newline;
        end_before = range.end;
    }
    let end = base + text.len() as u32;
    let span = Span {
        lo: end,
        hi: end,
        expn: ExpnId::NONE,
    };
    tokens.push(Raw {
        starts_line,
        span,
        ..Raw::mark(RawKind::Newline, 0)
    });
    tokens
}

/// Adds the value of a token, and with it the final kind.
fn evaluate(kind: RawKind, slice: &str, symbols: &mut Interner) -> (RawKind, u32) {
    match kind {
        RawKind::Word => (kind, symbols.intern(slice).index() as u32),
        RawKind::Number => match slice.parse::<u32>() {
            Ok(value) => (kind, value),
            Err(_) => (RawKind::BigNumber, 0),
        },
        RawKind::Str | RawKind::DollarStr => {
            let inner = join_lines(&slice[1..slice.len() - 1]);
            (RawKind::Str, symbols.intern(&inner).index() as u32)
        }
        RawKind::UnterminatedString => (kind, symbols.intern(slice[1..].trim_end()).index() as u32),
        RawKind::Char => (kind, character(&slice[1..slice.len() - 1])),
        _ => (kind, 0),
    }
}

/// A string without its backslashes at ends of lines.
pub(crate) fn join_lines(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\n') {
        return inner.into();
    }
    let mut lines: Vec<&str> = inner.split('\n').collect();
    let last = lines.pop().unwrap_or("");
    let joined: String = lines
        .iter()
        .map(|line| line.trim_end().strip_suffix('\\').unwrap_or(line))
        .collect();
    (joined + last).into()
}

/// The value of a character constant: only four escapes are special, any other escaped character is itself.
fn character(inner: &str) -> u32 {
    let mut chars = inner.chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), Some('n')) => '\n' as u32,
        (Some('\\'), Some('r')) => '\r' as u32,
        (Some('\\'), Some('t')) => '\t' as u32,
        (Some('\\'), Some('f')) => 0x0c,
        (Some('\\'), Some(c)) | (Some(c), None) => c as u32,
        _ => 0,
    }
}
