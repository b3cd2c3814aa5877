//! Embedded C, taken out of the stream with one clear error for each piece; and ends of comments that are none.
//!
//! The C text need not be anything the lexer understands, so it is skipped by its braces before any other pass looks
//! at it. A piece that stood for a statement or an expression leaves the constant 1 behind, so that the parser has
//! nothing to add.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind};
use crate::token::word;
use crate::tokenize::Session;

fn is_embedded_c(token: &Raw) -> bool {
    token.kind == RawKind::Word
        && matches!(
            token.symbol(),
            word::C_CODE | word::C_DECL | word::C_EXPR | word::C_STATE | word::C_TRACK
        )
}

/// Removes embedded C from `tokens`.
pub(crate) fn remove_embedded_c(tokens: &mut Vec<Raw>, session: &mut Session) {
    let Some(first) = tokens.iter().position(is_embedded_c) else {
        return;
    };
    let mut kept = tokens[..first].to_vec();
    let mut depth = kept.iter().map(|token| brace(token.kind)).sum::<i64>();
    let mut at = first;
    while let Some(&token) = tokens.get(at) {
        if !is_embedded_c(&token) {
            depth += brace(token.kind);
            kept.push(token);
            at += 1;
            continue;
        }
        let name = session.symbols.text(token.symbol()).to_owned();
        let error = Diagnostic::error(
            Code::EmbeddedC,
            token.span,
            format!("`{name}` is not supported"),
        );
        session.diagnostics.push(
            error
                .label("embedded C")
                .help("express the computation in Promela"),
        );
        at = skip(tokens, at + 1, &token);
        if token.is_word(word::C_EXPR) || depth > 0 {
            kept.push(Raw {
                kind: RawKind::Number,
                value: 1,
                ..token
            });
        }
    }
    *tokens = kept;
}

/// Removes `*/` outside of comments: SPIN skips it. Only a star and a slash that were written together are one.
pub(crate) fn remove_comment_ends(tokens: &mut Vec<Raw>, session: &mut Session) {
    let ends = |pair: &[Raw]| {
        pair[0].kind == RawKind::Star
            && pair[1].kind == RawKind::Slash
            && pair[0].span.expn == pair[1].span.expn
            && pair[0].span.hi == pair[1].span.lo
    };
    if !tokens.windows(2).any(ends) {
        return;
    }
    let mut kept: Vec<Raw> = Vec::with_capacity(tokens.len());
    let mut starts_line = false;
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        if tokens.get(at..at + 2).is_some_and(ends) {
            let span = token.span.to(tokens[at + 1].span);
            let warning = Diagnostic::warning(
                Code::StrayCommentEnd,
                span,
                "`*/` outside of a comment is skipped",
            );
            session
                .diagnostics
                .push(warning.label("no comment is open here"));
            starts_line |= token.starts_line;
            at += 2;
            continue;
        }
        kept.push(Raw {
            starts_line: token.starts_line | std::mem::take(&mut starts_line),
            ..token
        });
        at += 1;
    }
    *tokens = kept;
}

fn brace(kind: RawKind) -> i64 {
    match kind {
        RawKind::LBrace => 1,
        RawKind::RBrace => -1,
        _ => 0,
    }
}

/// The index behind the construct that `name` begins.
fn skip(tokens: &[Raw], mut at: usize, name: &Raw) -> usize {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    if matches!(name.symbol(), word::C_STATE | word::C_TRACK) {
        while kind(at) == Some(RawKind::Str) {
            at += 1;
        }
        return at;
    }
    if kind(at) == Some(RawKind::LBracket) {
        at = matching(tokens, at).map_or(tokens.len(), |close| close + 1);
    }
    if kind(at) == Some(RawKind::LBrace) {
        at = matching(tokens, at).map_or(tokens.len(), |close| close + 1);
    }
    at
}

/// The index of the token that closes the bracket, brace or parenthesis at `open`.
pub(crate) fn matching(tokens: &[Raw], open: usize) -> Option<usize> {
    let opening = tokens.get(open)?.kind;
    let closing = match opening {
        RawKind::LParen => RawKind::RParen,
        RawKind::LBracket => RawKind::RBracket,
        RawKind::LBrace => RawKind::RBrace,
        _ => return None,
    };
    let mut depth = 0_usize;
    for (offset, token) in tokens[open..].iter().enumerate() {
        if token.kind == opening {
            depth += 1;
        } else if token.kind == closing {
            depth -= 1;
            if depth == 0 {
                return Some(open + offset);
            }
        }
    }
    None
}
