//! The tokens that `#` and `##` make.
//!
//! Their text stands in no file, so they carry it with them; their place is that of the operator and its operands in
//! the body of the macro.

use super::Preprocessor;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind, join_lines, lex};
use crate::source::Span;

impl Preprocessor<'_> {
    /// The string that `#parameter` stands for: the argument as it was written, white space made equal.
    pub(super) fn stringize(&mut self, token: Raw, argument: &[Raw]) -> Raw {
        let mut text = String::new();
        for (index, raw) in argument.iter().enumerate() {
            if raw.spaced && index > 0 {
                text.push(' ');
            }
            let written = join_lines(self.session.written(raw));
            match raw.kind {
                RawKind::Str | RawKind::Char | RawKind::BadChar | RawKind::UnterminatedString => {
                    text.push_str(&written.replace('\\', "\\\\").replace('"', "\\\""))
                }
                _ => text.push_str(&written),
            }
        }
        // A lone backslash at the end would swallow the quote.
        let backslashes = text.len() - text.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            text.pop();
        }
        let value = self.session.symbols.intern(&text).index() as u32;
        let quoted = self.session.symbols.intern(&format!("\"{text}\""));
        Raw {
            kind: RawKind::Str,
            value,
            made: quoted.index() as u32 + 1,
            ..token
        }
    }

    /// Puts `right` onto the stack, glued to what is on top of it if there is a place to do so.
    pub(super) fn push_operand(&mut self, right: Raw, glued: Option<Span>) {
        let (Some(place), Some(&left)) = (glued, self.stack.last()) else {
            return self.stack.push(right);
        };
        if right.kind == RawKind::Placemarker {
            return;
        }
        let spaced = left.spaced;
        if left.kind == RawKind::Placemarker {
            self.stack.pop();
            return self.stack.push(Raw { spaced, ..right });
        }
        let first = self.session.written(&left).to_owned();
        let second = self.session.written(&right).to_owned();
        let text = format!("{first}{second}");
        let Some(token) = self.one_token(&text) else {
            let message = format!("`{first}` and `{second}` glued together are not one token");
            let error = Diagnostic::error(Code::TokenPasting, place, message);
            let help = "leave out the `##`, or glue parts of one name, number or operator";
            self.report(error.help(help));
            return self.stack.push(right);
        };
        let made = self.session.symbols.intern(&text).index() as u32 + 1;
        self.stack.pop();
        self.stack.push(Raw {
            starts_line: false,
            spaced,
            made,
            span: place,
            ..token
        });
    }

    /// The token that `text` is, if it is one and no error.
    fn one_token(&mut self, text: &str) -> Option<Raw> {
        match lex(text, 0, &mut self.session.symbols)[..] {
            [token, _] if (token.span.hi - token.span.lo) as usize == text.len() => {
                use RawKind::{BadChar, Newline, Stray, UnterminatedComment, UnterminatedString};
                let wrong = [
                    BadChar,
                    Newline,
                    Stray,
                    UnterminatedComment,
                    UnterminatedString,
                ];
                (!wrong.contains(&token.kind)).then_some(token)
            }
            _ => None,
        }
    }
}
