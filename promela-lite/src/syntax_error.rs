//! Syntax errors in words: what was found, what could have stood there, and what was probably meant.
//!
//! The parser knows only that a token did not fit. Most such errors are one of a few: a separator, a closing word or
//! bracket is missing, a keyword is misspelt or used as a name, or something is written as in C. Those are recognised
//! by the tokens around the error and get a message of their own.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::repair::{Fault, Structure, starts_unit};
use crate::source::Span;
use crate::symbol::Interner;
use crate::token::{Token, TokenKind, words};

/// A token that should be another.
pub(crate) struct Correction {
    pub(crate) at: u32,
    pub(crate) kind: TokenKind,
}

/// The error where the parser stopped.
pub(crate) struct SyntaxError<'t> {
    pub(crate) tokens: &'t [Token],
    /// The token, or the number of tokens for the end of the text.
    pub(crate) at: u32,
    /// What the grammar allows there.
    pub(crate) expected: &'t [String],
    /// The end of the text.
    pub(crate) end: Span,
    pub(crate) symbols: &'t Interner,
}

impl SyntaxError<'_> {
    /// Says it, and which token should be which keyword if it is just misspelt.
    pub(crate) fn explain(&self, structure: &Structure<'_>) -> (Diagnostic, Option<Correction>) {
        if structure.fault(self.at).is_none()
            && let Some((diagnostic, correction)) = self.misspelt()
        {
            return (diagnostic, correction);
        }
        (self.reason(structure), None)
    }

    fn reason(&self, structure: &Structure<'_>) -> Diagnostic {
        match structure.fault(self.at) {
            Some(Fault::NotClosed(opening)) => self.not_closed(opening),
            Some(Fault::WrongWord(opening)) => self.wrong_word(opening),
            Some(Fault::ClosesNothing) => self
                .error(self.span(), format!("{} closes nothing", self.found()))
                .label("there is nothing open that it could close")
                .help("remove it, or look for one too many before it"),
            None => self
                .parenthesis(structure)
                .or_else(|| self.empty())
                .or_else(|| self.misplaced_unit(structure))
                .or_else(|| self.habit(structure))
                .or_else(|| self.keyword_as_name())
                .or_else(|| self.missing_separator())
                .unwrap_or_else(|| self.unexpected()),
        }
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Code::Syntax, span, message)
    }

    fn token(&self, back: u32) -> Option<Token> {
        let index = self.at.checked_sub(back)?;
        self.tokens.get(index as usize).copied()
    }

    fn kind(&self, back: u32) -> Option<TokenKind> {
        self.token(back).map(|t| t.kind)
    }

    fn span(&self) -> Span {
        self.token(0).map_or(self.end, |t| t.span)
    }

    fn expects(&self, token: &str) -> bool {
        self.expected.iter().any(|e| e.trim_matches('"') == token)
    }

    /// The token in words.
    fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Name(s) => format!("`{}`", self.symbols.text(s)),
            TokenKind::TypeName(s) => format!("type name `{}`", self.symbols.text(s)),
            TokenKind::ProcName(s) => format!("proctype name `{}`", self.symbols.text(s)),
            TokenKind::Number(n) => format!("number `{n}`"),
            TokenKind::Str(_) => "string".to_string(),
            TokenKind::Semi if token.span.is_empty() => "end of the line".to_string(),
            kind => format!("`{}`", kind.text()),
        }
    }

    fn found(&self) -> String {
        match self.token(0) {
            Some(token) => self.describe(token),
            None => "end of the text".to_string(),
        }
    }

    fn not_closed(&self, opening: u32) -> Diagnostic {
        let open = self.tokens[opening as usize];
        let (what, closing) = match open.kind {
            TokenKind::If => ("this `if` is never closed", "fi"),
            TokenKind::Do => ("this `do` is never closed", "od"),
            _ => ("this `{` is never closed", "}"),
        };
        self.error(open.span, what)
            .label("opened here")
            .secondary(self.span(), format!("`{closing}` is missing before this"))
    }

    fn wrong_word(&self, opening: u32) -> Diagnostic {
        let open = self.tokens[opening as usize];
        let (word, closing) = if open.kind == TokenKind::If {
            ("if", "fi")
        } else {
            ("do", "od")
        };
        self.error(self.span(), format!("{} closes a `{word}`", self.found()))
            .label(format!("`{closing}` is needed here"))
            .secondary(open.span, "opened here")
    }

    /// A parenthesis that is not closed, or one that closes nothing.
    fn parenthesis(&self, structure: &Structure<'_>) -> Option<Diagnostic> {
        use TokenKind::*;
        let open = structure.open_parenthesis(self.at);
        let ended = matches!(
            self.kind(0),
            None | Some(Semi | Arrow | RBrace | Fi | Od | DoubleColon | LBrace)
        );
        match (open, self.kind(0)) {
            (Some(open), _) if ended => {
                let token = self.tokens[open as usize];
                let closing = if token.kind == LParen { ")" } else { "]" };
                let found = self.found();
                Some(
                    self.error(
                        token.span,
                        format!("this {} is never closed", self.describe(token)),
                    )
                    .label("opened here")
                    .secondary(
                        self.span(),
                        format!("`{closing}` is missing before this {found}"),
                    ),
                )
            }
            (None, Some(RParen | RBracket)) => Some(
                self.error(self.span(), format!("{} closes nothing", self.found()))
                    .label("there is nothing open that it could close"),
            ),
            _ => None,
        }
    }

    /// A body, block or option without a statement.
    fn empty(&self) -> Option<Diagnostic> {
        use TokenKind::*;
        let what = match (self.kind(1)?, self.kind(0)?) {
            (LBrace, RBrace) if self.expects("goto") => "a block",
            (DoubleColon, Fi | Od | DoubleColon) => "an option",
            _ => return None,
        };
        Some(
            self.error(self.span(), format!("{what} needs at least one statement"))
                .label("expected a statement before this")
                .help("write `skip` where nothing is to be done"),
        )
    }

    /// Something global inside of a body.
    fn misplaced_unit(&self, structure: &Structure<'_>) -> Option<Diagnostic> {
        let token = self.token(0)?;
        (starts_unit(token.kind) && structure.in_body(self.at)).then(|| {
            self.error(
                token.span,
                format!("{} cannot stand inside of a body", self.found()),
            )
            .help("move it outside of every proctype")
        })
    }

    /// A name that is nearly a keyword, here or at the start of the statement that breaks off here.
    fn misspelt(&self) -> Option<(Diagnostic, Option<Correction>)> {
        let here = |word: &str| word == "inline" || self.expects(word);
        if let Some(found) = self.keyword_near(self.at, &here) {
            return Some(found);
        }
        let before = self
            .at
            .checked_sub(1)
            .filter(|&i| self.starts_statement(i))?;
        self.keyword_near(before, &|word| self.introduces(word))
    }

    fn keyword_near(
        &self,
        at: u32,
        fits: &dyn Fn(&str) -> bool,
    ) -> Option<(Diagnostic, Option<Correction>)> {
        let token = self.tokens.get(at as usize)?;
        let TokenKind::Name(symbol) = token.kind else {
            return None;
        };
        let text = self.symbols.text(symbol);
        // Short names are near to everything.
        if text.len() < 3 {
            return None;
        }
        let guess = crate::spelling::closest(text, words().filter(|w| fits(w) && w.len() > 1))?;
        let kind = self.symbols.get(&guess).and_then(crate::token::keyword);
        let error = self
            .error(token.span, format!("`{text}` is not known here"))
            .help(format!("did you mean `{guess}`?"));
        Some((error, kind.map(|kind| Correction { at, kind })))
    }

    /// Whether a statement or unit begins with this token.
    fn starts_statement(&self, at: u32) -> bool {
        use TokenKind::*;
        let before = at.checked_sub(1).map(|i| self.tokens[i as usize].kind);
        matches!(
            before,
            None | Some(Semi | Arrow | LBrace | RBrace | DoubleColon | Colon | Fi | Od)
        )
    }

    /// Whether a keyword could stand before the token at the error.
    fn introduces(&self, word: &str) -> bool {
        let words: &[&str] = match self.kind(0) {
            Some(TokenKind::LBrace) => &["atomic", "d_step", "never", "init", "trace", "notrace"],
            Some(TokenKind::DoubleColon) => &["if", "do"],
            Some(TokenKind::LParen) => &[
                "for",
                "select",
                "printf",
                "printm",
                "set_priority",
                "assert",
            ],
            Some(TokenKind::Str(_)) => &["include"],
            Some(TokenKind::Name(_) | TokenKind::ProcName(_) | TokenKind::TypeName(_)) => &[
                "goto", "assert", "run", "chan", "bool", "bit", "byte", "short", "int", "unsigned",
                "mtype", "pid", "proctype", "typedef", "hidden", "show", "local",
            ],
            Some(TokenKind::Proctype) => &["active"],
            _ => &[],
        };
        words.contains(&word)
    }

    /// Habits from C and other languages.
    fn habit(&self, structure: &Structure<'_>) -> Option<Diagnostic> {
        let name_before = match self.kind(1) {
            Some(TokenKind::Name(symbol)) => self.symbols.text(symbol),
            _ => "",
        };
        let name_here = match self.kind(0) {
            Some(TokenKind::Name(symbol)) => self.symbols.text(symbol),
            _ => "",
        };
        let (message, help) = match (self.kind(1), self.kind(0)) {
            (Some(TokenKind::If), Some(TokenKind::LParen)) => (
                "an `if` consists of options",
                "write `if :: condition -> … :: else -> … fi`",
            ),
            (Some(TokenKind::If | TokenKind::Do), Some(_)) if self.expects("::") => (
                "an option starts with `::`",
                "write `:: condition -> statements`",
            ),
            (
                Some(
                    TokenKind::Plus
                    | TokenKind::Minus
                    | TokenKind::Star
                    | TokenKind::Slash
                    | TokenKind::Amp
                    | TokenKind::Pipe
                    | TokenKind::Percent
                    | TokenKind::Caret,
                ),
                Some(TokenKind::Assign),
            ) => (
                "there are no assignments with an operator",
                "write it out: `x = x + …`",
            ),
            (_, Some(TokenKind::Assign)) if self.expects("==") => {
                ("an assignment is not a condition", "use `==` to compare")
            }
            (Some(TokenKind::Assign), Some(TokenKind::Gt)) => {
                ("`=>` is not an arrow", "write `->`")
            }
            (Some(TokenKind::Query), Some(TokenKind::Number(_))) if self.expects("name") => (
                "`?` receives from a channel",
                "a conditional expression is written `(condition -> a : b)`",
            ),
            (_, Some(TokenKind::BangBang)) => {
                ("`!!` sends in order", "write `!(!x)` for a double negation")
            }
            (_, Some(TokenKind::Query)) if self.expects("==") => (
                "`?` receives from a channel",
                "a conditional expression is written `(condition -> a : b)`",
            ),
            (_, Some(TokenKind::Else)) => (
                "`else` outside of a selection",
                "`else` can only start an option of `if` or `do`",
            ),
            (_, Some(TokenKind::DoubleColon)) => (
                "an option outside of a selection",
                "`::` must stand inside `if … fi` or `do … od`",
            ),
            (_, Some(TokenKind::LParen))
                if !name_before.is_empty() && !structure.in_body(self.at) =>
            {
                (
                    "nothing is declared like this",
                    "write `procedure name(int a) : int { … }`, `proctype name() { … }` or `inline name() { … }`",
                )
            }
            (_, Some(TokenKind::LParen)) if name_before == "while" => (
                "there is no `while`",
                "write `do :: condition -> … :: else -> break od`",
            ),
            (Some(TokenKind::ProcName(_)), Some(TokenKind::LParen)) => {
                ("a process is not called", "it is started by `run`")
            }
            (_, Some(TokenKind::LParen)) if !name_before.is_empty() => (
                "a call cannot be a part of an expression or declaration",
                "call as a statement `f(…)`, or as the whole right side of an assignment `x = f(…)`",
            ),
            (_, Some(_)) if ["and", "or", "not"].contains(&name_here) => {
                ("logical operators are signs", "write `&&`, `||` and `!`")
            }
            _ => return None,
        };
        Some(
            self.error(self.span(), message)
                .label("not possible here")
                .help(help),
        )
    }

    fn keyword_as_name(&self) -> Option<Diagnostic> {
        let token = self.token(0)?;
        let is_word = token
            .kind
            .text()
            .starts_with(|c: char| c.is_ascii_alphabetic())
            && crate::token::keyword(self.symbols.get(token.kind.text())?).is_some();
        let wants_name = self.expects("name") && self.expected.len() <= 4;
        (is_word && wants_name).then(|| {
            self.error(
                token.span,
                format!("{} is a keyword and cannot be a name", self.found()),
            )
            .help("choose another name")
        })
    }

    /// A new statement begins where the last one has not ended.
    fn missing_separator(&self) -> Option<Diagnostic> {
        use TokenKind::*;
        let begins = matches!(
            self.kind(0)?,
            Name(_)
                | Assert
                | Atomic
                | Break
                | DStep
                | Do
                | For
                | Goto
                | If
                | Printf
                | Printm
                | Run
                | Select
                | Skip
                | True
                | False
                | Timeout
                | Number(_)
        );
        if !begins
            || !(self.expects(";") || self.expects("->"))
            || !self.expects("}") && !self.expects("fi")
        {
            return None;
        }
        let before = self.token(1)?;
        Some(
            self.error(
                before.span.end(),
                format!("`;` is missing before {}", self.found()),
            )
            .label("here")
            .help("statements are separated by `;` or `->`"),
        )
    }

    fn unexpected(&self) -> Diagnostic {
        let error = match self.token(0) {
            Some(_) => self
                .error(self.span(), format!("unexpected {}", self.found()))
                .label("not possible here"),
            None => self
                .error(self.end, "the text ends in the middle of a construct")
                .label("something is missing here"),
        };
        match self.alternatives() {
            Some(list) => error.help(format!("expected {list}")),
            None => error,
        }
    }

    /// What could have stood there, if that is worth reading.
    fn alternatives(&self) -> Option<String> {
        let shown = |e: &str| match e {
            "name" | "type name" | "proctype name" | "number" | "string" => format!("a {e}"),
            _ => format!("`{e}`"),
        };
        let expression = self.expects("true") && self.expects("run");
        let statement = expression && self.expects("goto");
        let unit = self.expects("active") && self.expects("typedef");
        let operators = self.expects("==") && self.expects("+");
        if unit {
            return Some("a declaration, a proctype or a property".to_string());
        } else if statement {
            return Some("a statement".to_string());
        } else if expression {
            return Some("an expression".to_string());
        } else if operators {
            let rest = [")", "]", ";", "}", ",", "fi", "od", ".."];
            let ends: Vec<String> = rest
                .iter()
                .filter(|e| self.expects(e))
                .map(|e| shown(e))
                .collect();
            return Some(match &ends[..] {
                [] => "an operator".to_string(),
                ends => format!("an operator or {}", ends.join(", ")),
            });
        }
        // Names of types and processes may stand in many places where only a plain name makes sense.
        let plain_name = self.expects("name");
        let mut list: Vec<&str> = self.expected.iter().map(|e| e.trim_matches('"')).collect();
        list.retain(|e| !(plain_name && ["type name", "proctype name"].contains(e)));
        list.sort_unstable();
        match &list[..] {
            [] => None,
            [one] => Some(shown(one)),
            many if many.len() <= 8 => {
                let list: Vec<String> = many.iter().map(|e| shown(e)).collect();
                Some(format!("one of {}", list.join(", ")))
            }
            _ => None,
        }
    }
}
