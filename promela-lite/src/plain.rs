//! Tokens that are no words: signs, numbers, strings, and what could not be read.
//!
//! Error tokens that have come this far are reported here. Where something sensible can stand for one, it does, so that
//! the parser has nothing to add.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{INVALID_BYTE, Raw, RawKind};
use crate::source::Span;
use crate::token::TokenKind;
use crate::tokenize::Session;

/// The token for anything but a word; errors are reported, and dropped unless something can stand for them.
pub(crate) fn plain(raw: &Raw, session: &mut Session) -> Option<TokenKind> {
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
    if raw.value >= 8 && session.written(raw).starts_with('0') {
        let message = format!("this is the decimal number {value}");
        session
            .diagnostics
            .push(Diagnostic::warning(Code::LeadingZero, raw.span, message));
    }
    value
}

/// Reports an error token.
fn error(raw: &Raw, session: &mut Session) -> Option<TokenKind> {
    let text = session.written(raw);
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
        RawKind::BadChar => {
            let message = "not a character constant".to_owned();
            let help = "write one character between single quotes, such as 'a' or '\\n'";
            (
                Code::BadCharacterConstant,
                message,
                help,
                Some(TokenKind::Number(0)),
            )
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
            format!(
                "the character {:?} means nothing in Promela",
                text.chars().next().unwrap_or('?')
            ),
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
