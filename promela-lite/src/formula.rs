//! The insides of formulas, which have operators of their own.
//!
//! `[]` and `<>` are two signs in a row; no other reading of them makes sense in a formula, so blanks between them are
//! allowed (SPIN wants none). SPIN reads formulas last, whatever their place in the file, so the names in them are
//! looked at again when all names are known.

use crate::classify::Names;
use crate::filter::matching;
use crate::lexer::{Raw, RawKind};
use crate::plain::plain;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, keyword, word};
use crate::tokenize::Session;

/// Gives the names of a formula the kinds they have at the end of the model.
pub(crate) fn reclassify(tokens: &mut [Token], names: &Names) {
    for at in 1..tokens.len() {
        if let TokenKind::Name(symbol) = tokens[at].kind {
            tokens[at].kind = names.token(symbol, Some(tokens[at - 1].kind));
        }
    }
}

/// Reads what follows `ltl`: a name, if there is one, and the formula in braces. Answers where it ends.
pub(crate) fn formula_block(
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
