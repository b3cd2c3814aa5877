//! The calls of inlines, replaced one after the other with a stack of tokens.
//!
//! The tokens of a body keep the chain of macro expansions they came through, moved to the place of the call.

use super::Inline;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind};
use crate::source::{Expansion, ExpansionKind, ExpnId, SourceMap, Span};
use crate::symbol::Symbol;
use crate::token::{TokenKind, is_type, keyword};
use crate::tokenize::Session;
use rustc_hash::FxHashMap;

/// How many tokens the expansion of inlines may produce.
const MAX_EXPANDED_TOKENS: usize = 5_000_000;

/// How many tokens an index of the variable that takes a result may have.
const LONGEST_INDEX: usize = 1000;

/// Replaces all calls in `input`; gives the inlines back with their use noted.
pub(super) fn expand(
    input: &[Raw],
    inlines: Vec<Inline>,
    session: &mut Session,
) -> (Vec<Inline>, Vec<Raw>) {
    let by_name = inlines
        .iter()
        .enumerate()
        .map(|(index, inline)| (inline.name, index))
        .collect();
    let out = Vec::with_capacity(input.len());
    let mut expander = Expander {
        session,
        inlines,
        by_name,
        input,
        at: 0,
        stack: Vec::new(),
        out,
    };
    expander.run();
    (expander.inlines, expander.out)
}

/// An expansion at work.
pub(super) struct Expander<'a> {
    pub(super) session: &'a mut Session,
    pub(super) inlines: Vec<Inline>,
    by_name: FxHashMap<Symbol, usize>,
    input: &'a [Raw],
    at: usize,
    /// Tokens to be read before the input goes on, last first.
    stack: Vec<Raw>,
    out: Vec<Raw>,
}

impl Expander<'_> {
    fn run(&mut self) {
        while let Some(token) = self.next() {
            let called = token
                .word()
                .and_then(|symbol| self.by_name.get(&symbol))
                .copied();
            match called.filter(|_| self.peek_opening()) {
                None => self.out.push(token),
                Some(index) => {
                    if !self.call(index, token) {
                        self.out.push(Raw {
                            kind: RawKind::Number,
                            value: 1,
                            ..token
                        });
                    }
                }
            }
            if self.out.len() + self.stack.len() > self.input.len() + MAX_EXPANDED_TOKENS {
                let message =
                    format!("the expansion of inlines exceeds {MAX_EXPANDED_TOKENS} tokens");
                let error = Diagnostic::error(
                    Code::InlineLimit,
                    self.session.sources.root(token.span),
                    message,
                );
                self.session
                    .diagnostics
                    .push(error.label("while expanding this"));
                // Half a model would only give rise to further errors.
                self.out.clear();
                return;
            }
        }
    }

    fn next(&mut self) -> Option<Raw> {
        while let Some(token) = self.stack.pop() {
            if token.kind != RawKind::EndOfMacro {
                return Some(token);
            }
            self.inlines[token.value as usize].active = false;
        }
        let token = self.input.get(self.at).copied();
        self.at += token.is_some() as usize;
        token
    }

    fn peek_opening(&self) -> bool {
        self.stack
            .last()
            .or(self.input.get(self.at))
            .is_some_and(|next| next.kind == RawKind::LParen)
    }

    /// Expands the call of inline `index` whose name was just read; false after an error.
    fn call(&mut self, index: usize, name: Raw) -> bool {
        self.inlines[index].used = true;
        let Some((arguments, closing)) = self.arguments() else {
            let message = format!("the call of inline `{}` is never closed", self.text(index));
            self.error(Code::InlineArguments, name.span, message, None);
            return false;
        };
        let call_site = name.span.to(closing);
        let result = match self.result() {
            Ok(result) => result,
            Err(span) => {
                let message = format!(
                    "a call of inline `{}` cannot initialise a variable",
                    self.text(index)
                );
                self.error(Code::InlineInitializer, span, message, None);
                return false;
            }
        };
        if !self.check(index, &name, call_site, &arguments) {
            return false;
        }
        let starts_line = result.as_ref().map_or(name, |result| result[0]).starts_line;
        self.check_capture(index, call_site, &arguments, result.as_deref());
        self.substitute(index, call_site, starts_line, &arguments, result.as_deref());
        true
    }

    /// The arguments of a call, and the place of the closing parenthesis.
    fn arguments(&mut self) -> Option<(Vec<Vec<Raw>>, Span)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0_usize;
        self.next()?;
        loop {
            let mut token = self.next()?;
            match token.kind {
                RawKind::LParen | RawKind::LBracket | RawKind::LBrace => depth += 1,
                RawKind::RParen if depth == 0 => {
                    if arguments.len() == 1 && arguments[0].is_empty() {
                        arguments.clear();
                    }
                    return Some((arguments, token.span));
                }
                RawKind::RParen | RawKind::RBracket | RawKind::RBrace => {
                    depth = depth.saturating_sub(1)
                }
                RawKind::Comma if depth == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            token.starts_line = false;
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
    }

    /// Takes `variable =` back from the output if the call stands behind it. The place is returned as an error if a
    /// declaration is what stands there.
    fn result(&mut self) -> Result<Option<Vec<Raw>>, Span> {
        if self
            .out
            .last()
            .is_none_or(|last| last.kind != RawKind::Assign)
        {
            return Ok(None);
        }
        let mut start = self.out.len() - 1;
        loop {
            start = match start
                .checked_sub(1)
                .map(|before| (before, self.out[before].kind))
            {
                Some((before, RawKind::RBracket)) => {
                    let mut depth = 0_i32;
                    let limit = before.saturating_sub(LONGEST_INDEX);
                    let opening = self.out[limit..=before].iter().rposition(|token| {
                        depth += (token.kind == RawKind::RBracket) as i32
                            - (token.kind == RawKind::LBracket) as i32;
                        depth == 0
                    });
                    match opening {
                        Some(opening) => limit + opening,
                        None => return Ok(None),
                    }
                }
                Some((before, RawKind::Word)) => {
                    match before.checked_sub(1).map(|dot| self.out[dot].kind) {
                        Some(RawKind::Dot) => before - 1,
                        _ => {
                            start = before;
                            break;
                        }
                    }
                }
                _ => return Ok(None),
            };
        }
        let first = self.out[start];
        let before = start.checked_sub(1).map(|before| self.out[before]);
        let declares =
            before
                .and_then(|token| token.word())
                .is_some_and(|symbol| match keyword(symbol) {
                    Some(kind) => is_type(kind),
                    None => !first.starts_line,
                });
        if declares {
            return Err(first.span);
        }
        let mut result = self.out.split_off(start);
        result.pop();
        Ok(Some(result))
    }

    /// Complains about everything that makes a call impossible.
    fn check(&mut self, index: usize, name: &Raw, call_site: Span, arguments: &[Vec<Raw>]) -> bool {
        let (text, inline) = (self.text(index), &self.inlines[index]);
        let (place, expected, given) = (inline.place, inline.parameters.len(), arguments.len());
        if inline.active {
            let message = format!("inline `{text}` calls itself");
            self.error(Code::InlineRecursion, name.span, message, Some(place));
            return false;
        }
        if expected != given {
            let plural = if expected == 1 { "" } else { "s" };
            let message =
                format!("inline `{text}` takes {expected} argument{plural}, but {given} given");
            self.error(Code::InlineArguments, call_site, message, Some(place));
            return false;
        }
        if arguments.iter().any(Vec::is_empty) {
            let message = format!("an argument of inline `{text}` is empty");
            self.error(Code::InlineArguments, call_site, message, Some(place));
            return false;
        }
        if self.at <= inline.position {
            let message = format!("inline `{text}` is called before its definition");
            self.error(
                Code::InlineBeforeDefinition,
                name.span,
                message,
                Some(place),
            );
        }
        true
    }

    pub(super) fn text(&self, index: usize) -> String {
        self.session
            .symbols
            .text(self.inlines[index].name)
            .to_owned()
    }

    fn error(&mut self, code: Code, span: Span, message: String, definition: Option<Span>) {
        let mut error = Diagnostic::error(code, span, message);
        if let Some(definition) = definition {
            error = error.secondary(definition, "defined here");
        }
        self.session.diagnostics.push(error);
    }

    /// Puts the body onto the stack.
    fn substitute(
        &mut self,
        index: usize,
        call_site: Span,
        starts_line: bool,
        arguments: &[Vec<Raw>],
        result: Option<&[Raw]>,
    ) {
        let inline = &mut self.inlines[index];
        inline.active = true;
        let sources = &mut self.session.sources;
        let expansion = Expansion {
            kind: ExpansionKind::Inline,
            name: inline.name,
            call_site,
            definition: inline.place,
        };
        let body_expn = inline.body[0].span.expn;
        let mut moved = FxHashMap::default();
        moved.insert(body_expn, sources.add_expansion(expansion));
        let end = Raw::mark(RawKind::EndOfMacro, index as u32);
        self.stack.push(end);
        for token in inline.body.iter().rev() {
            let parameter = token
                .word()
                .and_then(|name| inline.parameters.iter().position(|&other| other == name));
            let replacement = match (parameter, result) {
                (Some(number), _) => Some(arguments[number].as_slice()),
                (None, Some(result))
                    if token.word().and_then(keyword) == Some(TokenKind::Return) =>
                {
                    self.stack.push(Raw {
                        kind: RawKind::Assign,
                        starts_line: false,
                        ..*token
                    });
                    Some(result)
                }
                _ => None,
            };
            let Some(replacement) = replacement else {
                let mut token = *token;
                token.span.expn = rebase(token.span.expn, &mut moved, sources, body_expn);
                self.stack.push(token);
                continue;
            };
            let here = sources.add_expansion(Expansion {
                definition: token.span,
                ..expansion
            });
            for (position, argument) in replacement.iter().enumerate().rev() {
                let mut argument = *argument;
                argument.starts_line = position == 0 && token.starts_line;
                if argument.span.expn == call_site.expn {
                    argument.span.expn = here;
                }
                self.stack.push(argument);
            }
        }
        if let Some(first) = self.stack.last_mut() {
            first.starts_line = starts_line;
        }
    }
}

/// The chain of macro expansions `expn` inside the body of an inline, moved to one call of that inline.
fn rebase(
    expn: ExpnId,
    moved: &mut FxHashMap<ExpnId, ExpnId>,
    sources: &mut SourceMap,
    body_expn: ExpnId,
) -> ExpnId {
    let mut chain = Vec::new();
    let mut here = expn;
    let mut target = loop {
        if let Some(&target) = moved.get(&here) {
            break target;
        }
        match sources.expansion(here).copied() {
            Some(expansion) => {
                chain.push((here, expansion));
                here = expansion.call_site.expn;
            }
            None => break moved[&body_expn],
        }
    };
    for (old, mut expansion) in chain.into_iter().rev() {
        expansion.call_site.expn = target;
        target = sources.add_expansion(expansion);
        moved.insert(old, target);
    }
    target
}
