//! Inline definitions and their calls.
//!
//! Promela's `inline` is a macro with braces: a call is replaced by the body, braces included, and each parameter by
//! the tokens of the argument, wherever the parameter's name stands. `x = name(...)` also assigns: `return e` in the
//! body becomes `x = e` (and execution goes on, so it is no jump). Definitions are taken out of the stream first; the
//! calls are then expanded with a stack of tokens, as in the preprocessor, but a call of an inline inside itself is an
//! error.
//!
//! This file finds the definitions, [`expand`] replaces the calls, and [`capture`] warns where names clash.

mod capture;
mod expand;

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::filter::matching;
use crate::lexer::{Raw, RawKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{keyword, word};
use crate::tokenize::Session;
use rustc_hash::FxHashMap;

/// One definition.
struct Inline {
    name: Symbol,
    place: Span,
    parameters: Vec<Symbol>,
    /// The body with its braces.
    body: Vec<Raw>,
    /// How many tokens of the stream come before the definition.
    position: usize,
    /// An expansion of it is under way.
    active: bool,
    used: bool,
}

/// Replaces all calls of inlines in `tokens` and removes the definitions.
pub(crate) fn expand_inlines(mut tokens: Vec<Raw>, session: &mut Session) -> Vec<Raw> {
    if !tokens.iter().any(|token| token.is_word(word::INLINE)) {
        return tokens;
    }
    let inlines = collect(&mut tokens, session);
    let (inlines, out) = expand::expand(&tokens, inlines, session);
    for inline in inlines.iter().filter(|inline| !inline.used) {
        let message = format!(
            "inline `{}` is never called",
            session.symbols.text(inline.name)
        );
        session.diagnostics.push(Diagnostic::warning(
            Code::UnusedInline,
            inline.place,
            message,
        ));
    }
    out
}

/// Takes the definitions out of `tokens`.
fn collect(tokens: &mut Vec<Raw>, session: &mut Session) -> Vec<Inline> {
    let mut inlines: Vec<Inline> = Vec::new();
    let mut places = FxHashMap::default();
    // What was kept moves to the front of the same memory; fresh memory costs more than the work.
    let (mut at, mut kept, mut depth) = (0, 0, 0_usize);
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token.kind {
            RawKind::LBrace => depth += 1,
            RawKind::RBrace => depth = depth.saturating_sub(1),
            _ if token.is_word(word::INLINE) => {
                let (inline, end) = definition(tokens, at, kept);
                at = end;
                match inline {
                    Some(inline) => {
                        if accept(&inline, depth, &mut places, session) {
                            inlines.push(inline);
                        }
                    }
                    None => {
                        let message = "malformed definition of an inline";
                        let error = Diagnostic::error(Code::MalformedInline, token.span, message);
                        session
                            .diagnostics
                            .push(error.help("write `inline name(parameter, ...) { statements }`"));
                    }
                }
                continue;
            }
            _ => {}
        }
        tokens[kept] = token;
        kept += 1;
    }
    tokens.truncate(kept);
    inlines
}

/// Complains about a definition in the wrong place; false if it is one too many.
fn accept(
    inline: &Inline,
    depth: usize,
    places: &mut FxHashMap<Symbol, Span>,
    session: &mut Session,
) -> bool {
    let name = session.symbols.text(inline.name);
    if depth > 0 {
        let message = format!("inline `{name}` is defined inside braces");
        let error = Diagnostic::error(Code::MalformedInline, inline.place, message);
        session
            .diagnostics
            .push(error.help("move the definition outside every proctype"));
    }
    if let Some(&earlier) = places.get(&inline.name) {
        let message = format!("inline `{name}` is defined twice");
        let error = Diagnostic::error(Code::InlineRedefined, inline.place, message);
        session
            .diagnostics
            .push(error.secondary(earlier, "first defined here"));
        return false;
    }
    places.insert(inline.name, inline.place);
    true
}

/// Reads what follows the word `inline` at `at`; also says where the definition ends, which is where its braces end,
/// or everything if they never do.
fn definition(tokens: &[Raw], at: usize, position: usize) -> (Option<Inline>, usize) {
    let name = tokens.get(at).and_then(plain_name);
    let list = match tokens.get(at + 1) {
        Some(open) if open.kind == RawKind::LParen => &tokens[at + 2..],
        _ => &[],
    };
    let length = list
        .iter()
        .position(|token| !matches!(token.kind, RawKind::Word | RawKind::Comma));
    let parameters = length.filter(|&length| list[length].kind == RawKind::RParen);
    let parameters = parameters.and_then(|length| parameter_names(&list[..length]));
    let open = at + length.map_or(0, |length| length + 3);
    let opens = |brace: usize| {
        tokens
            .get(brace)
            .is_some_and(|token| token.kind == RawKind::LBrace)
    };
    let (Some(name), Some(parameters), true) = (name, parameters, opens(open)) else {
        // Something is missing; what looks like the body goes with it.
        let brace = (at..at + 100).find(|&brace| opens(brace));
        let end =
            brace.map(|brace| matching(tokens, brace).map_or(tokens.len(), |close| close + 1));
        return (None, end.unwrap_or(at));
    };
    let Some(close) = matching(tokens, open) else {
        return (None, tokens.len());
    };
    let body = tokens[open..=close].to_vec();
    let place = tokens[at].span;
    let inline = Inline {
        name,
        place,
        parameters,
        body,
        position,
        active: false,
        used: false,
    };
    (Some(inline), close + 1)
}

fn plain_name(token: &Raw) -> Option<Symbol> {
    token.word().filter(|&symbol| keyword(symbol).is_none())
}

/// Names separated by commas.
fn parameter_names(tokens: &[Raw]) -> Option<Vec<Symbol>> {
    if tokens.is_empty() {
        return Some(Vec::new());
    }
    let one = |one: &[Raw]| plain_name(one.first()?).filter(|_| one.len() == 1);
    tokens
        .split(|token| token.kind == RawKind::Comma)
        .map(one)
        .collect()
}
