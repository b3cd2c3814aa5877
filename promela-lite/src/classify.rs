//! From raw tokens to the tokens of the grammar: keywords, kinds of names, and formulas.
//!
//! A name that an earlier `typedef` or `proctype` introduced has a kind of its own, because the grammar could not
//! tell a declaration or a remote reference from anything else. Behind a dot, `@`, `goto` and the words that introduce
//! names it is a plain name all the same. Formulas have their own operators; SPIN reads them last, whatever their
//! place in the file, so the names in them are looked at again when all names are known.
//!
//! Error tokens that have come this far are reported here.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::filter::matching;
use crate::lexer::{INVALID_BYTE, Raw, RawKind};
use crate::semicolon::Separators;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, keyword, word};
use crate::tokenize::Session;
use std::ops::Range;

/// What kind of name a symbol is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum Class {
    #[default]
    Plain,
    Type,
    Process,
}

/// The kinds of all names, by symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    classes: Vec<Class>,
}

impl Names {
    fn set(&mut self, symbol: Symbol, class: Class) {
        if self.classes.len() <= symbol.index() {
            self.classes.resize(symbol.index() + 1, Class::Plain);
        }
        self.classes[symbol.index()] = class;
    }

    /// The token for `symbol` behind `before`.
    fn token(&self, symbol: Symbol, before: Option<TokenKind>) -> TokenKind {
        use TokenKind::*;
        let class = self
            .classes
            .get(symbol.index())
            .copied()
            .unwrap_or_default();
        if class == Class::Plain
            || matches!(
                before,
                Some(Dot | At | Goto | Proctype | DProctype | Typedef | Never | Ltl)
            )
        {
            return Name(symbol);
        }
        if class == Class::Type {
            TypeName(symbol)
        } else {
            ProcName(symbol)
        }
    }
}

/// The tokens of a model.
pub(crate) fn classify(raws: &[Raw], session: &mut Session) -> Vec<Token> {
    let mut separators = Separators::default();
    separators.out.reserve(raws.len() + raws.len() / 4);
    let mut formulas: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    let (mut parentheses, mut for_header) = (0_u32, None);
    let mut at = 0;
    while let Some(raw) = raws.get(at) {
        at += 1;
        let kind = match raw.kind {
            RawKind::Word => match keyword(raw.symbol()) {
                Some(TokenKind::In) if for_header.is_none() => TokenKind::Name(raw.symbol()),
                Some(TokenKind::Ltl) => {
                    separators.flush();
                    let start = separators.out.len();
                    separators.out.push(Token {
                        kind: TokenKind::Ltl,
                        span: raw.span,
                    });
                    at = formula_block(raws, at, &mut separators.out, session);
                    formulas.push(start..separators.out.len());
                    before = None;
                    continue;
                }
                Some(TokenKind::Return) => {
                    let message = "`return` outside an inline that is called for its value";
                    session.diagnostics.push(Diagnostic::error(
                        Code::ReturnOutsideInline,
                        raw.span,
                        message,
                    ));
                    continue;
                }
                Some(kind) => kind,
                None => {
                    match before {
                        Some(TokenKind::Typedef) => session.names.set(raw.symbol(), Class::Type),
                        Some(TokenKind::Proctype | TokenKind::DProctype) => {
                            session.names.set(raw.symbol(), Class::Process);
                        }
                        _ => {}
                    }
                    session.names.token(raw.symbol(), before)
                }
            },
            _ => match plain(raw, session) {
                Some(kind) => kind,
                None => continue,
            },
        };
        match kind {
            TokenKind::LParen => {
                parentheses += 1;
                if before == Some(TokenKind::For) {
                    for_header = Some(parentheses);
                }
            }
            TokenKind::RParen => {
                for_header = for_header.filter(|&header| header != parentheses);
                parentheses = parentheses.saturating_sub(1);
            }
            _ => {}
        }
        before = Some(kind);
        separators.read(
            Token {
                kind,
                span: raw.span,
            },
            raw.starts_line,
        );
    }
    let mut tokens = separators.finish();
    for range in formulas {
        reclassify(&mut tokens[range], &session.names);
    }
    tokens
}

/// Gives the names of a formula the kinds they have at the end of the model.
fn reclassify(tokens: &mut [Token], names: &Names) {
    for at in 1..tokens.len() {
        if let TokenKind::Name(symbol) = tokens[at].kind {
            tokens[at].kind = names.token(symbol, Some(tokens[at - 1].kind));
        }
    }
}

/// Reads what follows `ltl`: a name, if there is one, and the formula in braces. Answers where it ends.
fn formula_block(
    raws: &[Raw],
    mut at: usize,
    out: &mut Vec<Token>,
    session: &mut Session,
) -> usize {
    if let Some(name) = raws
        .get(at)
        .filter(|raw| raw.word().is_some_and(|symbol| keyword(symbol).is_none()))
    {
        out.push(Token {
            kind: TokenKind::Name(name.symbol()),
            span: name.span,
        });
        at += 1;
    }
    if raws.get(at).is_none_or(|raw| raw.kind != RawKind::LBrace) {
        return at;
    }
    out.push(Token {
        kind: TokenKind::LBrace,
        span: raws[at].span,
    });
    let close = matching(raws, at);
    let inside = &raws[at + 1..close.unwrap_or(raws.len())];
    let length = inside
        .iter()
        .rposition(|raw| raw.kind != RawKind::Semi)
        .map_or(0, |last| last + 1);
    formula(&inside[..length], out, session);
    match close {
        Some(close) => {
            out.push(Token {
                kind: TokenKind::RBrace,
                span: raws[close].span,
            });
            close + 1
        }
        None => raws.len(),
    }
}

/// The tokens of a formula.
pub(crate) fn formula(raws: &[Raw], out: &mut Vec<Token>, session: &mut Session) {
    let mut at = 0;
    while let Some(raw) = raws.get(at) {
        let next = raws.get(at + 1);
        let before = out.last().map(|token| token.kind);
        let pair = match (raw.kind, next.map(|next| next.kind)) {
            (RawKind::LBracket, Some(RawKind::RBracket)) => Some(TokenKind::Always),
            (RawKind::Lt, Some(RawKind::Gt)) => Some(TokenKind::Eventually),
            (RawKind::Lt, Some(RawKind::Arrow)) => Some(TokenKind::Equiv),
            (RawKind::Slash, Some(RawKind::Backslash)) => Some(TokenKind::AndAnd),
            (RawKind::Backslash, Some(RawKind::Slash)) => Some(TokenKind::OrOr),
            _ => None,
        };
        if let (Some(kind), Some(next)) = (pair, next) {
            out.push(Token {
                kind,
                span: raw.span.to(next.span),
            });
            at += 2;
            continue;
        }
        at += 1;
        let kind = match raw.kind {
            RawKind::Arrow => Some(TokenKind::Implies),
            RawKind::Word => {
                let opens = next.is_some_and(|next| next.kind == RawKind::LParen);
                Some(formula_word(raw.symbol(), before, opens, &session.names))
            }
            _ => plain(raw, session),
        };
        if let Some(kind) = kind {
            out.push(Token {
                kind,
                span: raw.span,
            });
        }
    }
}

fn formula_word(
    symbol: Symbol,
    before: Option<TokenKind>,
    opens: bool,
    names: &Names,
) -> TokenKind {
    if matches!(before, Some(TokenKind::Dot | TokenKind::At)) {
        return TokenKind::Name(symbol);
    }
    match symbol {
        word::U | word::UNTIL | word::STRONGUNTIL => TokenKind::Until,
        word::V | word::RELEASE => TokenKind::Release,
        word::W | word::WEAKUNTIL => TokenKind::WeakUntil,
        word::X | word::NEXT => TokenKind::Next,
        word::ALWAYS => TokenKind::Always,
        word::EVENTUALLY => TokenKind::Eventually,
        word::IMPLIES => TokenKind::Implies,
        word::EQUIVALENT => TokenKind::Equiv,
        word::AT if opens => TokenKind::AtLabel,
        _ => match keyword(symbol) {
            Some(TokenKind::In) | None => names.token(symbol, before),
            Some(kind) => kind,
        },
    }
}

/// The token for anything but a word; errors are reported, and dropped unless something can stand for them.
fn plain(raw: &Raw, session: &mut Session) -> Option<TokenKind> {
    use TokenKind::*;
    Some(match raw.kind {
        RawKind::Number => Number(number(raw, session)),
        RawKind::Char => Number(raw.value as i32),
        RawKind::Str => Str(raw.symbol()),
        RawKind::LParen => LParen,
        RawKind::RParen => RParen,
        RawKind::LBracket => LBracket,
        RawKind::RBracket => RBracket,
        RawKind::LBrace => LBrace,
        RawKind::RBrace => RBrace,
        RawKind::Semi => Semi,
        RawKind::Arrow => Arrow,
        RawKind::Comma => Comma,
        RawKind::Colon => Colon,
        RawKind::DoubleColon => DoubleColon,
        RawKind::Dot => Dot,
        RawKind::DotDot => DotDot,
        RawKind::At => At,
        RawKind::Assign => Assign,
        RawKind::Plus => Plus,
        RawKind::Minus => Minus,
        RawKind::Star => Star,
        RawKind::Slash => Slash,
        RawKind::Percent => Percent,
        RawKind::Amp => Amp,
        RawKind::Caret => Caret,
        RawKind::Pipe => Pipe,
        RawKind::Gt => Gt,
        RawKind::Lt => Lt,
        RawKind::Ge => Ge,
        RawKind::Le => Le,
        RawKind::EqEq => EqEq,
        RawKind::NotEq => NotEq,
        RawKind::AndAnd => AndAnd,
        RawKind::OrOr => OrOr,
        RawKind::Shl => Shl,
        RawKind::Shr => Shr,
        RawKind::Tilde => Tilde,
        RawKind::Bang => Bang,
        RawKind::BangBang => BangBang,
        RawKind::Query => Query,
        RawKind::QueryQuery => QueryQuery,
        RawKind::PlusPlus => PlusPlus,
        RawKind::MinusMinus => MinusMinus,
        _ => return error(raw, session),
    })
}

/// The value of a number; what looks different in C or does not fit is pointed out.
fn number(raw: &Raw, session: &mut Session) -> i32 {
    let value = raw.value as i32;
    if raw.value > i32::MAX as u32 + 1 {
        let message = format!(
            "{} does not fit a signed 32-bit integer and is read as {value}",
            raw.value
        );
        session
            .diagnostics
            .push(Diagnostic::warning(Code::NumberWraps, raw.span, message));
    }
    let digits = raw.span.hi.wrapping_sub(raw.span.lo);
    if digits > 1 && raw.value >= 8 && session.sources.snippet(raw.span).starts_with('0') {
        let message = format!("this is the decimal number {value}");
        session
            .diagnostics
            .push(Diagnostic::warning(Code::LeadingZero, raw.span, message));
    }
    value
}

/// Reports an error token.
fn error(raw: &Raw, session: &mut Session) -> Option<TokenKind> {
    let text = session.sources.snippet(raw.span);
    let (code, message, help, instead) = match raw.kind {
        RawKind::BadNumber => {
            let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
            let help = if hexadecimal {
                "numbers are decimal"
            } else {
                "separate the number from the name"
            };
            (
                Code::BadNumber,
                format!("`{text}` is not a number"),
                help,
                Some(TokenKind::Number(0)),
            )
        }
        RawKind::BigNumber => {
            let message = "this number does not fit 32 bits".to_owned();
            (
                Code::NumberTooLarge,
                message,
                "",
                Some(TokenKind::Number(0)),
            )
        }
        RawKind::UnterminatedString => {
            let message = "this string is never closed".to_owned();
            (
                Code::UnterminatedString,
                message,
                "add `\"` on the same line",
                Some(TokenKind::Str(raw.symbol())),
            )
        }
        RawKind::StrayQuote => {
            let message = "not a character constant".to_owned();
            let help = "write one character between single quotes, such as 'a' or '\\n'";
            (Code::BadCharacterConstant, message, help, None)
        }
        RawKind::Hash | RawKind::HashHash => {
            let message = format!("`{text}` does not begin a line");
            (
                Code::StrayHash,
                message,
                "put the directive on a line of its own",
                None,
            )
        }
        // Reported when the file was read.
        RawKind::UnterminatedComment => return None,
        _ if text == "\0" => (
            Code::NulByte,
            "the file contains a zero byte".to_owned(),
            "",
            None,
        ),
        _ if text.starts_with(INVALID_BYTE) => (
            Code::InvalidUtf8,
            "this is not valid UTF-8".to_owned(),
            "save the file as UTF-8",
            None,
        ),
        _ => (
            Code::StrayCharacter,
            format!("`{}` means nothing in Promela", text.escape_debug()),
            "",
            None,
        ),
    };
    report(code, raw.span, message, help, session);
    instead
}

fn report(code: Code, span: Span, message: String, help: &str, session: &mut Session) {
    let mut error = Diagnostic::error(code, span, message);
    if !help.is_empty() {
        error = error.help(help);
    }
    session.diagnostics.push(error);
}
