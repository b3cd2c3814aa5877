//! Inline definitions and their calls.
//!
//! Promela's `inline` is a macro with braces: a call is replaced by the body, braces included, and each parameter by
//! the tokens of the argument, wherever the parameter's name stands. `x = name(...)` also assigns: `return e` in the
//! body becomes `x = e` (and execution goes on, so it is no jump). Definitions are taken out of the stream first; the
//! calls are then expanded with a stack of tokens, as in the preprocessor, but a call of an inline inside itself is an
//! error.
//!
//! Substitution is blind to scopes, as in SPIN. Where that would surprise (an argument that the body's own variable
//! captures) a warning says so; where the *target of the assignment* would be captured it is an error, because SPIN
//! refuses it too.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::filter::matching;
use crate::lexer::{Raw, RawKind};
use crate::source::{Expansion, ExpansionKind, ExpnId, Span};
use crate::symbol::Symbol;
use crate::token::{TokenKind, is_type, keyword, word};
use crate::tokenize::Session;
use rustc_hash::FxHashMap;

/// How many tokens the expansion of inlines may produce.
const MAX_EXPANDED_TOKENS: usize = 5_000_000;

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
pub(crate) fn expand_inlines(tokens: Vec<Raw>, session: &mut Session) -> Vec<Raw> {
    if !tokens.iter().any(|token| token.is_word(word::INLINE)) {
        return tokens;
    }
    let (inlines, tokens) = collect(tokens, session);
    let by_name = inlines
        .iter()
        .enumerate()
        .map(|(index, inline)| (inline.name, index))
        .collect();
    let out = Vec::with_capacity(tokens.len());
    let mut expander = Expander {
        session,
        inlines,
        by_name,
        input: &tokens,
        at: 0,
        stack: Vec::new(),
        out,
    };
    expander.run();
    let Expander { inlines, out, .. } = expander;
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

/// Splits the definitions from the rest.
fn collect(tokens: Vec<Raw>, session: &mut Session) -> (Vec<Inline>, Vec<Raw>) {
    let mut inlines: Vec<Inline> = Vec::new();
    let mut rest = Vec::with_capacity(tokens.len());
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token.kind {
            RawKind::LBrace => depth += 1,
            RawKind::RBrace => depth = depth.saturating_sub(1),
            _ if token.is_word(word::INLINE) => {
                let (inline, end) = definition(&tokens, at, rest.len());
                at = end;
                match inline {
                    Some(inline) => add(inline, depth, &mut inlines, session),
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
        rest.push(token);
    }
    (inlines, rest)
}

fn add(inline: Inline, depth: usize, inlines: &mut Vec<Inline>, session: &mut Session) {
    let name = session.symbols.text(inline.name);
    if depth > 0 {
        let message = format!("inline `{name}` is defined inside braces");
        let error = Diagnostic::error(Code::MalformedInline, inline.place, message);
        session
            .diagnostics
            .push(error.help("move the definition outside every proctype"));
    } else if let Some(earlier) = inlines.iter().find(|other| other.name == inline.name) {
        let message = format!("inline `{name}` is defined twice");
        let error = Diagnostic::error(Code::InlineRedefined, inline.place, message);
        session
            .diagnostics
            .push(error.secondary(earlier.place, "first defined here"));
        return;
    }
    inlines.push(inline);
}

/// Reads what follows the word `inline` at `at`; also says where the definition ends.
fn definition(tokens: &[Raw], at: usize, position: usize) -> (Option<Inline>, usize) {
    let broken_end = || {
        let brace = tokens[at..]
            .iter()
            .take(200)
            .position(|token| token.kind == RawKind::LBrace);
        brace
            .and_then(|brace| matching(tokens, at + brace))
            .map_or(at, |close| close + 1)
    };
    let read = || {
        let name = tokens.get(at)?;
        let close = matching(tokens, at + 1).filter(|_| tokens[at + 1].kind == RawKind::LParen)?;
        let parameters = parameters(&tokens[at + 2..close])?;
        let end =
            matching(tokens, close + 1).filter(|_| tokens[close + 1].kind == RawKind::LBrace)? + 1;
        let body = tokens[close + 1..end].to_vec();
        let symbol = plain_name(name)?;
        let inline = Inline {
            name: symbol,
            place: name.span,
            parameters,
            body,
            position,
            active: false,
            used: false,
        };
        Some((inline, end))
    };
    match read() {
        Some((inline, end)) => (Some(inline), end),
        None => (None, broken_end()),
    }
}

fn plain_name(token: &Raw) -> Option<Symbol> {
    token.word().filter(|&symbol| keyword(symbol).is_none())
}

/// Names separated by commas.
fn parameters(tokens: &[Raw]) -> Option<Vec<Symbol>> {
    if tokens.is_empty() {
        return Some(Vec::new());
    }
    tokens
        .split(|token| token.kind == RawKind::Comma)
        .map(|one| plain_name(one.first()?).filter(|_| one.len() == 1))
        .collect()
}

struct Expander<'a> {
    session: &'a mut Session,
    inlines: Vec<Inline>,
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
                    let opening = self.out[..=before].iter().rposition(|token| {
                        depth += (token.kind == RawKind::RBracket) as i32
                            - (token.kind == RawKind::LBracket) as i32;
                        depth == 0
                    });
                    match opening {
                        Some(opening) => opening,
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

    fn text(&self, index: usize) -> String {
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

    /// Looks for variables of the caller that mean another variable inside the body.
    fn check_capture(
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
        let end = Raw {
            kind: RawKind::EndOfMacro,
            starts_line: false,
            painted: false,
            value: index as u32,
            span: Span::NONE,
        };
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
    sources: &mut crate::source::SourceMap,
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
