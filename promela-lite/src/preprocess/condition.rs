//! `#if` and its relatives: which regions count, and the value of a condition.
//!
//! A condition is an integer expression of C after macro expansion: names that are no macros are zero, `defined` asks
//! the table, arithmetic is 64 bits wide and wraps, and the operand that `&&`, `||` or `?:` does not need may divide
//! by zero. Nesting is bounded so that a line of ten thousand parentheses cannot exhaust the stack.

use super::Preprocessor;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind};
use crate::source::Span;
use crate::token::word;
use crate::tokenize::Session;

/// How deep parentheses and unary operators may nest.
const MAX_DEPTH: u32 = 200;

/// An open `#if`.
#[derive(Copy, Clone, Debug)]
pub(super) struct Conditional {
    /// Where it was opened.
    pub(super) opened: Span,
    /// The current region counts.
    active: bool,
    /// Some region of it counted already, or none may: the next `#elif` or `#else` does not.
    done: bool,
    /// Its `#else` was seen.
    seen_else: bool,
}

impl Preprocessor<'_> {
    /// Whether the current region is removed.
    pub(super) fn skipping(&self) -> bool {
        self.conditionals
            .last()
            .is_some_and(|conditional| !conditional.active)
    }

    pub(super) fn open_conditional(&mut self, opened: Span, holds: bool) {
        let done = holds || self.skipping();
        self.conditionals.push(Conditional {
            opened,
            active: holds,
            done,
            seen_else: false,
        });
    }

    pub(super) fn elif(&mut self, name: &Raw, rest: &[Raw]) {
        let Some(&last) = self.conditionals.last() else {
            return self.stray(name, None);
        };
        if last.seen_else {
            return self.stray(name, Some(last.opened));
        }
        let active = !last.done && self.condition(name, rest);
        if let Some(last) = self.conditionals.last_mut() {
            last.active = active;
            last.done |= active;
        }
    }

    pub(super) fn otherwise(&mut self, name: &Raw) {
        match self.conditionals.last_mut() {
            Some(last) if !last.seen_else => {
                last.seen_else = true;
                last.active = !last.done;
            }
            last => {
                let opened = last.map(|last| last.opened);
                self.stray(name, opened);
            }
        }
    }

    pub(super) fn endif(&mut self, name: &Raw) {
        if self.conditionals.pop().is_none() {
            self.stray(name, None);
        }
    }

    fn stray(&mut self, name: &Raw, opened: Option<Span>) {
        let text = self.session.sources.snippet(name.span);
        let error = match opened {
            None => {
                let message = format!("`#{text}` without `#if`");
                Diagnostic::error(Code::UnbalancedConditional, name.span, message)
            }
            Some(opened) => {
                let message = format!("`#{text}` after `#else`");
                Diagnostic::error(Code::UnbalancedConditional, name.span, message)
                    .secondary(opened, "opened here")
            }
        };
        self.report(error);
    }

    /// The value of the condition on an `#if` or `#elif` line.
    pub(super) fn condition(&mut self, name: &Raw, line: &[Raw]) -> bool {
        let Some(asked) = self.answer_defined(line) else {
            return false;
        };
        let mut tokens = Vec::with_capacity(asked.len());
        self.expand_alone(&asked, &mut tokens);
        let end = line.last().map_or(name.span, |last| last.span).end();
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            depth: 0,
            end,
            session: self.session,
        };
        match parser.whole() {
            Ok(value) => value != 0,
            Err((span, message)) => {
                self.report(Diagnostic::error(Code::BadCondition, span, message));
                false
            }
        }
    }

    /// The line with every `defined X` and `defined(X)` replaced by a character constant of value 0 or 1, which unlike
    /// a number has its value in the token and not in the text.
    fn answer_defined(&mut self, line: &[Raw]) -> Option<Vec<Raw>> {
        let mut answered = Vec::with_capacity(line.len());
        let mut at = 0;
        while let Some(&token) = line.get(at) {
            at += 1;
            if !token.is_word(word::DEFINED) {
                answered.push(token);
                continue;
            }
            let kind = |offset: usize| line.get(at + offset).map(|token| token.kind);
            let (name, length) = match (kind(0), kind(1), kind(2)) {
                (Some(RawKind::Word), ..) => (line[at], 1),
                (Some(RawKind::LParen), Some(RawKind::Word), Some(RawKind::RParen)) => {
                    (line[at + 1], 3)
                }
                _ => {
                    let message = "`defined` needs the name of a macro";
                    self.report(Diagnostic::error(Code::BadCondition, token.span, message));
                    return None;
                }
            };
            at += length;
            let value = self.session.macros.find(name.symbol()).is_some() as u32;
            answered.push(Raw {
                kind: RawKind::Char,
                value,
                ..token
            });
        }
        Some(answered)
    }
}

type Evaluated = Result<i64, (Span, String)>;

/// Precedence climbing over the tokens of one line, evaluating on the way.
struct Parser<'a> {
    tokens: &'a [Raw],
    at: usize,
    depth: u32,
    end: Span,
    session: &'a Session,
}

impl Parser<'_> {
    fn whole(&mut self) -> Evaluated {
        let value = self.comma(true)?;
        match self.tokens.get(self.at) {
            None => Ok(value),
            Some(token) => Err((token.span, "unexpected token in a condition".to_owned())),
        }
    }

    fn kind(&self) -> Option<RawKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens
            .get(self.at)
            .map_or(self.end, |token| token.span)
    }

    fn expect(&mut self, kind: RawKind, text: &str) -> Result<(), (Span, String)> {
        if self.kind() == Some(kind) {
            self.at += 1;
            return Ok(());
        }
        Err((self.span(), format!("expected `{text}` in a condition")))
    }

    fn comma(&mut self, live: bool) -> Evaluated {
        let mut value = self.ternary(live)?;
        while self.kind() == Some(RawKind::Comma) {
            self.at += 1;
            value = self.ternary(live)?;
        }
        Ok(value)
    }

    /// `live` says that the value matters, so that division by zero is an error.
    fn ternary(&mut self, live: bool) -> Evaluated {
        let condition = self.binary(0, live)?;
        if self.kind() != Some(RawKind::Query) {
            return Ok(condition);
        }
        self.at += 1;
        self.enter()?;
        let yes = self.comma(live && condition != 0)?;
        self.expect(RawKind::Colon, ":")?;
        let no = self.ternary(live && condition == 0)?;
        self.depth -= 1;
        Ok(if condition != 0 { yes } else { no })
    }

    fn binary(&mut self, minimum: u8, live: bool) -> Evaluated {
        let mut left = self.unary(live)?;
        while let Some(operator) = self.kind()
            && let Some(precedence) =
                precedence(operator).filter(|&precedence| precedence >= minimum)
        {
            let span = self.span();
            self.at += 1;
            let right_matters = match operator {
                RawKind::AndAnd => left != 0,
                RawKind::OrOr => left == 0,
                _ => true,
            };
            let right = self.binary(precedence + 1, live && right_matters)?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if live => return Err((span, "division by zero in a condition".to_owned())),
                None => 0,
            };
        }
        Ok(left)
    }

    fn enter(&mut self) -> Result<(), (Span, String)> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((
                self.span(),
                format!("a condition nests deeper than {MAX_DEPTH}"),
            ));
        }
        Ok(())
    }

    fn unary(&mut self, live: bool) -> Evaluated {
        let Some(&token) = self.tokens.get(self.at) else {
            return Err((self.end, "a condition is missing or incomplete".to_owned()));
        };
        self.at += 1;
        match token.kind {
            RawKind::Number | RawKind::BadNumber | RawKind::BigNumber => {
                match c_number(self.session.written(&token)) {
                    Some(value) => Ok(value),
                    None => Err((token.span, "not an integer".to_owned())),
                }
            }
            RawKind::Char => Ok(token.value as i64),
            RawKind::Word => Ok(0),
            _ => {
                self.enter()?;
                let value = match token.kind {
                    RawKind::Plus => self.unary(live)?,
                    RawKind::Minus => self.unary(live)?.wrapping_neg(),
                    RawKind::Tilde => !self.unary(live)?,
                    RawKind::Bang => (self.unary(live)? == 0) as i64,
                    RawKind::BangBang => (self.unary(live)? != 0) as i64,
                    RawKind::LParen => {
                        let value = self.comma(live)?;
                        self.expect(RawKind::RParen, ")")?;
                        value
                    }
                    _ => return Err((token.span, "unexpected token in a condition".to_owned())),
                };
                self.depth -= 1;
                Ok(value)
            }
        }
    }
}

/// The value of a C integer constant with base prefix and suffixes; a leading zero makes it octal.
fn c_number(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x', ..] => (&digits[2..], 16),
        [b'0', b'b', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix)
        .ok()
        .map(|value| value as i64)
}

fn precedence(operator: RawKind) -> Option<u8> {
    Some(match operator {
        RawKind::OrOr => 0,
        RawKind::AndAnd => 1,
        RawKind::Pipe => 2,
        RawKind::Caret => 3,
        RawKind::Amp => 4,
        RawKind::EqEq | RawKind::NotEq => 5,
        RawKind::Lt | RawKind::Gt | RawKind::Le | RawKind::Ge => 6,
        RawKind::Shl | RawKind::Shr => 7,
        RawKind::Plus | RawKind::Minus => 8,
        RawKind::Star | RawKind::Slash | RawKind::Percent => 9,
        _ => return None,
    })
}

/// The value of an operation; `None` for division by zero.
fn apply(operator: RawKind, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
        RawKind::OrOr => (left != 0 || right != 0) as i64,
        RawKind::AndAnd => (left != 0 && right != 0) as i64,
        RawKind::Pipe => left | right,
        RawKind::Caret => left ^ right,
        RawKind::Amp => left & right,
        RawKind::EqEq => (left == right) as i64,
        RawKind::NotEq => (left != right) as i64,
        RawKind::Lt => (left < right) as i64,
        RawKind::Gt => (left > right) as i64,
        RawKind::Le => (left <= right) as i64,
        RawKind::Ge => (left >= right) as i64,
        RawKind::Shl => left.wrapping_shl(right as u32),
        RawKind::Shr => left.wrapping_shr(right as u32),
        RawKind::Plus => left.wrapping_add(right),
        RawKind::Minus => left.wrapping_sub(right),
        RawKind::Star => left.wrapping_mul(right),
        RawKind::Slash => return (right != 0).then(|| left.wrapping_div(right)),
        RawKind::Percent => return (right != 0).then(|| left.wrapping_rem(right)),
        _ => return None,
    })
}
