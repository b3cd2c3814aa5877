//! Variables of the caller that mean another variable inside the body of an inline.
//!
//! Substitution is blind to scopes, as in SPIN. Where that would surprise (an argument that the body's own variable
//! captures) a warning says so; where the *target of the assignment* would be captured it is an error, because SPIN
//! refuses it too.

use super::expand::Expander;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{is_type, keyword};

impl Expander<'_> {
    /// Looks for variables of the caller that mean another variable inside the body.
    pub(super) fn check_capture(
        &mut self,
        index: usize,
        call_site: Span,
        arguments: &[Vec<Raw>],
        result: Option<&[Raw]>,
    ) {
        let declared = declarations(&self.inlines[index].body);
        if declared.is_empty() {
            return;
        }
        let captured = |tokens: &[Raw]| {
            let inner = tokens
                .iter()
                .filter_map(Raw::word)
                .find_map(|symbol| declared.iter().find(|d| d.0 == symbol));
            inner.copied()
        };
        if let Some((name, place)) = result.and_then(captured) {
            let (text, name) = (self.text(index), self.session.symbols.text(name));
            let message =
                format!("inline `{text}` declares `{name}`, which is also where its result goes");
            let error = Diagnostic::error(Code::InlineShadowsResult, call_site, message);
            self.session.diagnostics.push(
                error
                    .secondary(place, "declared here")
                    .help("rename one of the two"),
            );
        }
        let inline = &self.inlines[index];
        for (argument, &parameter) in arguments.iter().zip(&inline.parameters) {
            if let Some((name, place)) = captured(argument)
                && name != parameter
            {
                let text = self.session.symbols.text(inline.name);
                let name = self.session.symbols.text(name);
                let message =
                    format!("inside inline `{text}`, `{name}` means the inline's own variable");
                let warning =
                    Diagnostic::warning(Code::CapturedArgument, argument[0].span, message);
                self.session
                    .diagnostics
                    .push(warning.secondary(place, "declared here"));
            }
        }
    }
}

/// The variables that `body` declares: the names behind a type word, up to the end of the declaration.
fn declarations(body: &[Raw]) -> Vec<(Symbol, Span)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let is_declaration = body[at].word().and_then(keyword).is_some_and(is_type)
            && body
                .get(at + 1)
                .is_some_and(|next| next.kind == RawKind::Word)
            && !matches!(body[at - 1].kind, RawKind::Comma | RawKind::LParen);
        at += 1;
        if !is_declaration {
            continue;
        }
        let (mut expect_name, mut depth) = (true, 0_i32);
        while let Some(token) = body.get(at) {
            match token.kind {
                RawKind::LBrace | RawKind::LBracket | RawKind::LParen => depth += 1,
                RawKind::RBrace | RawKind::RBracket | RawKind::RParen if depth > 0 => depth -= 1,
                RawKind::Semi | RawKind::RBrace | RawKind::Arrow if depth == 0 => break,
                RawKind::Comma if depth == 0 => expect_name = true,
                RawKind::Word if depth == 0 && token.starts_line && !expect_name => break,
                RawKind::Word if depth == 0 && expect_name => {
                    found.push((token.symbol(), token.span));
                    expect_name = false;
                }
                _ => {}
            }
            at += 1;
        }
    }
    found
}
