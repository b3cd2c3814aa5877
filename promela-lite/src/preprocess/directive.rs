//! The lines that begin with `#`.
//!
//! In a region that a condition removes, only the directives that open and close conditions are looked at. `#ident` and
//! every `#pragma` but `once` mean nothing to a model and are passed over.

use super::macros::Parameters;
use super::{Input, MAX_INCLUDE_DEPTH, Preprocessor};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{TokenKind, keyword, word};
use std::path::PathBuf;

impl Preprocessor<'_> {
    /// Obeys the directive at the start of the line.
    pub(super) fn directive(&mut self, input: &mut Input<'_>, out: &mut Vec<Raw>) {
        let start = input.at;
        input.skip_line();
        let end = input.at - 1;
        let next_line = input.tokens[end].span.hi;
        let hash = &input.tokens[start];
        let line = &input.tokens[start + 1..end];
        let Some((name, rest)) = line.split_first() else {
            return;
        };
        if self.conditional(name, rest) || self.skipping() {
            return;
        }
        match name.word() {
            Some(word::DEFINE) => self.define(name, rest),
            Some(word::UNDEF) => {
                if let Some(symbol) = self.macro_name(name, rest) {
                    self.session.macros.undefine(symbol);
                }
            }
            Some(word::INCLUDE) => self.include(name, rest, out),
            Some(word::LINE) => self.line_marker(name, rest, next_line),
            Some(word::ERROR) => {
                let message = format!("#error {}", self.words(rest));
                self.report(Diagnostic::error(
                    Code::ErrorDirective,
                    hash.span.to(name.span),
                    message,
                ));
            }
            Some(word::WARNING) => {
                let message = format!("#warning {}", self.words(rest));
                self.report(Diagnostic::warning(
                    Code::WarningDirective,
                    hash.span.to(name.span),
                    message,
                ));
            }
            Some(word::PRAGMA) if rest.first().is_some_and(|next| next.is_word(word::ONCE)) => {
                self.once.extend(self.including.last().cloned());
            }
            Some(word::PRAGMA | word::IDENT) => {}
            None if name.kind == RawKind::Number => self.line_marker(hash, line, next_line),
            _ => {
                let message = format!(
                    "unknown directive `#{}`",
                    self.session.sources.snippet(name.span)
                );
                self.report(Diagnostic::error(
                    Code::UnknownDirective,
                    hash.span.to(name.span),
                    message,
                ));
            }
        }
    }

    /// Deals with the directives of conditional text.
    fn conditional(&mut self, name: &Raw, rest: &[Raw]) -> bool {
        let Some(symbol) = name.word() else {
            return false;
        };
        match symbol {
            word::IFDEF | word::IFNDEF => {
                let holds = !self.skipping()
                    && self.macro_name(name, rest).is_some_and(|symbol| {
                        self.session.macros.find(symbol).is_some() == name.is_word(word::IFDEF)
                    });
                self.open_conditional(name.span, holds);
            }
            word::ELIF => self.elif(name, rest),
            word::ENDIF => self.endif(name),
            _ => match keyword(symbol) {
                Some(TokenKind::If) => {
                    let holds = !self.skipping() && self.condition(name, rest);
                    self.open_conditional(name.span, holds);
                }
                Some(TokenKind::Else) => self.otherwise(name),
                _ => return false,
            },
        }
        true
    }

    /// The name after `#define`, `#undef`, `#ifdef` or `#ifndef`.
    fn macro_name(&mut self, directive: &Raw, rest: &[Raw]) -> Option<Symbol> {
        let symbol = rest
            .first()
            .and_then(Raw::word)
            .filter(|&symbol| symbol != word::DEFINED);
        if symbol.is_none() {
            let span = rest.first().map_or(directive.span, |token| token.span);
            let message = format!(
                "`#{}` needs the name of a macro",
                self.session.sources.snippet(directive.span)
            );
            self.report(Diagnostic::error(Code::MalformedDirective, span, message));
        }
        symbol
    }

    fn define(&mut self, directive: &Raw, rest: &[Raw]) {
        let Some(name) = self.macro_name(directive, rest) else {
            return;
        };
        let place = rest[0].span;
        if name == word::VA_ARGS {
            return self.misplaced_va_args(place);
        }
        let mut body = &rest[1..];
        let mut list = None;
        // Only a parenthesis that touches the name opens a list of parameters.
        if body
            .first()
            .is_some_and(|next| next.kind == RawKind::LParen && next.span.lo == place.hi)
        {
            let Some((names, variadic, after)) = self.parameters(body) else {
                return;
            };
            list = Some((names, variadic));
            body = after;
        }
        let names = list.as_ref().map(|(names, _)| names.as_slice());
        let Some(tokens) = self.body(body, names) else {
            return;
        };
        let parameters = list.map(|(names, variadic)| Parameters {
            count: names.len() as u32,
            variadic,
        });
        if let Some(earlier) = self.session.macros.define(name, place, parameters, &tokens) {
            let message = format!("macro `{}` is redefined", self.session.symbols.text(name));
            let warning = Diagnostic::warning(Code::MacroRedefined, place, message);
            self.report(
                warning
                    .secondary(earlier, "first defined here")
                    .help("use `#undef` before a new definition"),
            );
        }
    }

    /// The body of a macro with its parameters and operators marked. `#` is an operator only if there is a list of
    /// parameters, `##` always is.
    fn body(&mut self, body: &[Raw], parameters: Option<&[Symbol]>) -> Option<Vec<Raw>> {
        let mut tokens: Vec<Raw> = Vec::with_capacity(body.len());
        let mut hash: Option<Raw> = None;
        for &token in body {
            let name = token.word();
            let number = name.and_then(|name| parameters?.iter().position(|&other| other == name));
            let mut token = Raw {
                starts_line: false,
                ..token
            };
            match (hash.take(), number) {
                (Some(hash), Some(number)) => {
                    token.kind = RawKind::Stringize;
                    token.value = number as u32;
                    token.spaced = hash.spaced;
                }
                (Some(hash), None) => return self.lone_hash(hash.span),
                (None, Some(number)) => {
                    token.kind = RawKind::Parameter;
                    token.value = number as u32;
                }
                (None, None) if token.kind == RawKind::Hash && parameters.is_some() => {
                    hash = Some(token);
                    continue;
                }
                (None, None) if name == Some(word::VA_ARGS) => {
                    self.misplaced_va_args(token.span);
                    return None;
                }
                (None, None) if token.kind == RawKind::HashHash => token.kind = RawKind::Paste,
                (None, None) => {}
            }
            match tokens.last_mut() {
                // More of them paste no more than one does.
                Some(before) if before.kind == RawKind::Paste => {
                    if token.kind == RawKind::Paste {
                        continue;
                    }
                    if token.kind == RawKind::Parameter {
                        token.kind = RawKind::PastedParameter;
                    }
                }
                Some(before)
                    if token.kind == RawKind::Paste && before.kind == RawKind::Parameter =>
                {
                    before.kind = RawKind::PastedParameter;
                }
                _ => {}
            }
            tokens.push(token);
        }
        if let Some(hash) = hash {
            return self.lone_hash(hash.span);
        }
        let ends = [tokens.first(), tokens.last()];
        if let Some(paste) = ends
            .into_iter()
            .flatten()
            .find(|end| end.kind == RawKind::Paste)
        {
            let message = "`##` stands at an end of a macro body";
            let error = Diagnostic::error(Code::TokenPasting, paste.span, message);
            self.report(error.help("put it between the two tokens that it shall glue together"));
            return None;
        }
        Some(tokens)
    }

    fn lone_hash(&mut self, span: Span) -> Option<Vec<Raw>> {
        let message = "`#` in a macro body must be followed by a parameter";
        self.report(Diagnostic::error(Code::TokenPasting, span, message));
        None
    }

    fn misplaced_va_args(&mut self, span: Span) {
        let message = "`__VA_ARGS__` outside of the body of a variadic macro";
        let error = Diagnostic::error(Code::VariadicMacro, span, message);
        self.report(error.help("it needs `...` at the end of the list of parameters"));
    }

    /// The parameters between parentheses, whether the last one is variadic, and what follows them.
    fn parameters<'t>(&mut self, list: &'t [Raw]) -> Option<(Vec<Symbol>, bool, &'t [Raw])> {
        let mut names = Vec::new();
        let kind = |at: usize| list.get(at).map(|token| token.kind);
        let dots = |at: usize| {
            kind(at) == Some(RawKind::DotDot)
                && kind(at + 1) == Some(RawKind::Dot)
                && list[at].span.hi == list[at + 1].span.lo
        };
        if kind(1) == Some(RawKind::RParen) {
            return Some((names, false, &list[2..]));
        }
        let mut at = 1;
        loop {
            let start = at;
            let name = match list.get(at).and_then(Raw::word) {
                Some(word::VA_ARGS) => {
                    self.misplaced_va_args(list[at].span);
                    return None;
                }
                Some(name) => {
                    at += 1;
                    Some(name)
                }
                None => dots(at).then_some(word::VA_ARGS),
            };
            let variadic = dots(at);
            if variadic {
                at += 2;
            }
            match (name.filter(|name| !names.contains(name)), kind(at)) {
                (Some(name), Some(RawKind::RParen)) => {
                    names.push(name);
                    return Some((names, variadic, &list[at + 1..]));
                }
                (Some(name), Some(RawKind::Comma)) if !variadic => names.push(name),
                (Some(_), _) if variadic => {
                    let span = list[at - 2].span.to(list[at - 1].span);
                    let message = "`...` must end the list of macro parameters";
                    self.report(Diagnostic::error(Code::VariadicMacro, span, message));
                    return None;
                }
                _ => {
                    let token = list.get(start).or(list.last());
                    let span = token.map_or(Span::NONE, |token| token.span);
                    let message = "malformed list of macro parameters";
                    self.report(Diagnostic::error(Code::MalformedDirective, span, message));
                    return None;
                }
            }
            at += 1;
        }
    }

    fn include(&mut self, directive: &Raw, rest: &[Raw], out: &mut Vec<Raw>) {
        let (span, name) = match rest.first() {
            Some(token) if token.kind == RawKind::Str => {
                (token.span, self.session.symbols.text(token.symbol()))
            }
            Some(token) if token.kind == RawKind::Lt => {
                let span = rest
                    .iter()
                    .fold(token.span, |span, token| span.to(token.span));
                let message = "there are no system files to include";
                let error = Diagnostic::error(Code::SystemInclude, span, message);
                return self
                    .report(error.help("write the file name in quotes: `#include \"file\"`"));
            }
            other => {
                let span = other.map_or(directive.span, |token| token.span);
                let message = "`#include` needs a file name in quotes";
                return self.report(Diagnostic::error(Code::MalformedDirective, span, message));
            }
        };
        let path = match self.including.last().and_then(|file| file.parent()) {
            Some(folder) => folder.join(name),
            None => PathBuf::from(name),
        };
        if self.including.len() >= MAX_INCLUDE_DEPTH {
            let message = if self.including.contains(&path) {
                format!("`{}` includes itself without end", path.display())
            } else {
                format!("`#include` nests deeper than {MAX_INCLUDE_DEPTH}")
            };
            self.report(Diagnostic::error(Code::IncludeDepth, span, message));
            self.exhausted = true;
            return;
        }
        self.spend(1, span);
        if self.once.contains(&path) {
            return;
        }
        self.file(&path, span, out);
    }

    /// `#line 12 "file"` and `# 12 "file"`: the next line gets that number.
    fn line_marker(&mut self, directive: &Raw, rest: &[Raw], next_line: u32) {
        match rest {
            [number, ..] if number.kind == RawKind::Number => {
                let file = rest.get(1).filter(|token| token.kind == RawKind::Str);
                let file = file.map(|token| self.session.symbols.text(token.symbol()).to_owned());
                self.session
                    .sources
                    .add_marker(next_line, number.value, file);
            }
            _ => {
                let span = rest.first().map_or(directive.span, |token| token.span);
                self.report(Diagnostic::error(
                    Code::MalformedDirective,
                    span,
                    "`#line` needs a line number",
                ));
            }
        }
    }

    /// The text of a line after its directive.
    fn words(&self, tokens: &[Raw]) -> String {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return String::new();
        };
        let text = self.session.sources.snippet(first.span.to(last.span));
        text.chars().take(200).collect()
    }
}
