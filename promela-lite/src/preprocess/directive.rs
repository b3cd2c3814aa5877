//! The lines that begin with `#`.
//!
//! In a region that a condition removes, only the directives that open and close conditions are looked at. `#ident` and
//! every `#pragma` but `once` mean nothing to a model and are passed over.

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
        let mut body = &rest[1..];
        let mut parameters = None;
        // Only a parenthesis that touches the name opens a list of parameters.
        if body
            .first()
            .is_some_and(|next| next.kind == RawKind::LParen && next.span.lo == place.hi)
        {
            let Some((names, after)) = self.parameters(body) else {
                return;
            };
            parameters = Some(names);
            body = after;
        }
        let Some(tokens) = self.body(body, parameters.as_deref()) else {
            return;
        };
        let parameters = parameters.map(|names| names.len() as u32);
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

    /// The body of a macro with its parameters marked.
    fn body(&mut self, body: &[Raw], parameters: Option<&[Symbol]>) -> Option<Vec<Raw>> {
        let mut tokens: Vec<Raw> = Vec::with_capacity(body.len());
        let mut hash: Option<Span> = None;
        for &token in body {
            let name = token.word();
            let number = name.and_then(|name| parameters?.iter().position(|&other| other == name));
            let mut token = Raw {
                starts_line: false,
                ..token
            };
            if let Some(number) = number {
                token.kind = if hash.is_some() {
                    RawKind::Stringize
                } else {
                    RawKind::Parameter
                };
                token.value = number as u32;
            }
            let wrong = match (hash.take(), token.kind) {
                (_, RawKind::HashHash) => {
                    Some((token.span, "`##` in a macro body is not supported"))
                }
                (None, RawKind::Hash) => {
                    hash = Some(token.span);
                    continue;
                }
                (None, _) | (_, RawKind::Stringize) => None,
                (Some(span), _) => {
                    Some((span, "`#` in a macro body must be followed by a parameter"))
                }
            };
            if let Some((span, message)) = wrong {
                self.report(Diagnostic::error(Code::TokenPasting, span, message));
                return None;
            }
            tokens.push(token);
        }
        if let Some(span) = hash {
            let message = "`#` in a macro body must be followed by a parameter";
            self.report(Diagnostic::error(Code::TokenPasting, span, message));
            return None;
        }
        Some(tokens)
    }

    /// The parameters between parentheses, and what follows them.
    fn parameters<'t>(&mut self, list: &'t [Raw]) -> Option<(Vec<Symbol>, &'t [Raw])> {
        let mut names = Vec::new();
        let mut at = 1;
        if list
            .get(at)
            .is_some_and(|token| token.kind == RawKind::RParen)
        {
            return Some((names, &list[2..]));
        }
        loop {
            let (token, next) = (list.get(at), list.get(at + 1));
            match (token.and_then(Raw::word), next.map(|next| next.kind)) {
                (Some(name), Some(RawKind::Comma | RawKind::RParen)) if !names.contains(&name) => {
                    names.push(name)
                }
                _ => {
                    let span = token.or(list.last()).map_or(Span::NONE, |token| token.span);
                    let (code, message) = match token.map(|token| token.kind) {
                        Some(RawKind::DotDot) => {
                            (Code::VariadicMacro, "variadic macros are not supported")
                        }
                        _ => (
                            Code::MalformedDirective,
                            "malformed list of macro parameters",
                        ),
                    };
                    self.report(Diagnostic::error(code, span, message));
                    return None;
                }
            }
            at += 2;
            if next.is_some_and(|next| next.kind == RawKind::RParen) {
                return Some((names, &list[at..]));
            }
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
