//! Macro expansion.
//!
//! Tokens to be read stand on a stack, last first. To expand a call, the body goes onto the stack with the arguments
//! in place of the parameters, and below it a mark; the macro is disabled until the mark comes up again. A name met
//! while its macro is disabled is *painted* and never expanded afterwards. This is the rule of the C standard (6.10.3.4)
//! in the form C compilers use, and it ends the expansion of every recursive definition.
//!
//! An argument is expanded on its own, before it is put in: it goes onto the stack above a barrier behind which
//! nothing is read. A call may span lines; what follows it then counts as standing on a new line, as in the output of
//! a C preprocessor.

use super::macros::MacroId;
use super::{Input, Preprocessor};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind};
use crate::source::{Expansion, ExpansionKind, ExpnId, Span};

/// How deep calls may nest in the arguments of calls.
const MAX_ARGUMENT_DEPTH: u32 = 200;

/// The arguments of one call: all tokens, and where each argument ends.
#[derive(Default)]
struct Arguments {
    tokens: Vec<Raw>,
    ends: Vec<usize>,
    closing: Option<Span>,
    broken_line: bool,
}

impl Arguments {
    fn get(&self, index: usize) -> &[Raw] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.tokens[start..self.ends[index]]
    }
}

impl Preprocessor<'_> {
    /// Copies one line of text, expanding macros; a call may read on over the following lines.
    pub(super) fn text_line(&mut self, input: &mut Input<'_>, out: &mut Vec<Raw>) {
        while let Some(&token) = input.tokens.get(input.at) {
            input.at += 1;
            if token.kind == RawKind::Newline {
                return;
            }
            match self.call(&token) {
                None => self.put(token, out),
                Some(id) => {
                    self.expand(id, token, input, out);
                    self.drain(input, out);
                    // A call that was cut short leaves the directive that did it.
                    if self.at_line_start(input) {
                        return;
                    }
                }
            }
        }
    }

    /// Expands `tokens` on their own, as an argument or the line of an `#if`.
    pub(super) fn expand_alone(&mut self, tokens: &[Raw], out: &mut Vec<Raw>) {
        let starts_line = std::mem::take(&mut self.starts_line);
        self.stack.push(mark(RawKind::EndOfArgument, 0));
        self.stack.extend(tokens.iter().rev());
        self.drain(&mut Input { tokens: &[], at: 0 }, out);
        self.stack.pop();
        self.starts_line = starts_line;
    }

    /// The macro that `token` may call.
    fn call(&self, token: &Raw) -> Option<MacroId> {
        if token.kind != RawKind::Word || token.painted {
            return None;
        }
        self.session.macros.find(token.symbol())
    }

    fn put(&mut self, mut token: Raw, out: &mut Vec<Raw>) {
        token.starts_line |= std::mem::take(&mut self.starts_line);
        out.push(token);
    }

    /// Reads the stack to its end, or to the barrier of the argument under expansion.
    fn drain(&mut self, input: &mut Input<'_>, out: &mut Vec<Raw>) {
        while let Some(token) = self.pop() {
            if self.exhausted {
                self.stack.clear();
                return;
            }
            match self.call(&token) {
                None if token.kind == RawKind::Newline => self.starts_line = true,
                None => self.put(token, out),
                Some(id) => self.expand(id, token, input, out),
            }
        }
    }

    /// The next token of the stack; ends of macros are dealt with, names of disabled macros are painted.
    fn pop(&mut self) -> Option<Raw> {
        loop {
            let mut token = *self.stack.last()?;
            match token.kind {
                RawKind::EndOfArgument => return None,
                RawKind::EndOfMacro => self
                    .session
                    .macros
                    .set_disabled(MacroId::from_value(token.value), false),
                RawKind::Word => {
                    token.painted |= self
                        .call(&token)
                        .is_some_and(|id| self.session.macros.get(id).disabled);
                    self.stack.pop();
                    return Some(token);
                }
                _ => {
                    self.stack.pop();
                    return Some(token);
                }
            }
            self.stack.pop();
        }
    }

    /// Puts the expansion of the call at `name` onto the stack, or the name itself out if it turns out to be no call.
    fn expand(&mut self, id: MacroId, name: Raw, input: &mut Input<'_>, out: &mut Vec<Raw>) {
        let mut arguments = Arguments::default();
        if self.session.macros.get(id).parameters.is_some() {
            let mut broken_line = false;
            if !self.opening(input, &mut broken_line) {
                self.put(name, out);
                self.starts_line |= broken_line;
                return;
            }
            arguments.broken_line = broken_line;
            if !self.collect(&name, input, &mut arguments)
                || !self.check_arity(id, &name, &mut arguments)
            {
                return;
            }
        }
        self.starts_line |= name.starts_line;
        self.substitute(id, &name, &arguments);
    }

    /// Consumes the parenthesis that makes a name a call, if it comes next.
    fn opening(&mut self, input: &mut Input<'_>, broken_line: &mut bool) -> bool {
        while let Some(next) = self.stack.last() {
            match next.kind {
                RawKind::EndOfMacro => {
                    self.session
                        .macros
                        .set_disabled(MacroId::from_value(next.value), false);
                }
                RawKind::Newline => *broken_line = true,
                kind => {
                    let found = kind == RawKind::LParen;
                    if found {
                        self.stack.pop();
                    }
                    return found;
                }
            }
            self.stack.pop();
        }
        let blank = input.tokens[input.at..]
            .iter()
            .take_while(|token| token.kind == RawKind::Newline)
            .count();
        let found = input
            .tokens
            .get(input.at + blank)
            .is_some_and(|token| token.kind == RawKind::LParen);
        if found {
            *broken_line |= blank > 0;
            input.at += blank + 1;
        }
        found
    }

    /// Collects arguments up to the closing parenthesis.
    fn collect(&mut self, name: &Raw, input: &mut Input<'_>, arguments: &mut Arguments) -> bool {
        let mut depth = 0_u32;
        loop {
            let next = match self.pop() {
                None if self.stack.is_empty() => {
                    let next = input.tokens.get(input.at).copied();
                    // A directive in here is undefined behaviour in C; for us the call simply ends.
                    let next = next.filter(|token| {
                        !(token.kind == RawKind::Hash && self.at_line_start(input))
                    });
                    input.at += next.is_some() as usize;
                    next
                }
                next => next,
            };
            let Some(mut token) = next else {
                let text = self.session.symbols.text(name.symbol());
                let message = format!("the call of macro `{text}` has no closing parenthesis");
                self.report(Diagnostic::error(
                    Code::UnterminatedMacroCall,
                    name.span,
                    message,
                ));
                return false;
            };
            match token.kind {
                RawKind::Newline => {
                    arguments.broken_line = true;
                    continue;
                }
                RawKind::LParen => depth += 1,
                RawKind::RParen if depth == 0 => {
                    arguments.ends.push(arguments.tokens.len());
                    arguments.closing = Some(token.span);
                    return true;
                }
                RawKind::RParen => depth -= 1,
                RawKind::Comma if depth == 0 => {
                    arguments.ends.push(arguments.tokens.len());
                    continue;
                }
                _ => {}
            }
            self.spend(1, name.span);
            if self.exhausted {
                return false;
            }
            arguments.broken_line |= token.starts_line;
            token.starts_line = false;
            arguments.tokens.push(token);
        }
    }

    fn at_line_start(&self, input: &Input<'_>) -> bool {
        input.at == 0 || input.tokens[input.at - 1].kind == RawKind::Newline
    }

    fn check_arity(&mut self, id: MacroId, name: &Raw, arguments: &mut Arguments) -> bool {
        let definition = self.session.macros.get(id);
        let expected = definition.parameters.unwrap_or(0) as usize;
        if expected == 0 && arguments.ends.len() == 1 && arguments.tokens.is_empty() {
            arguments.ends.clear();
        }
        let (given, place) = (arguments.ends.len(), definition.definition);
        if given == expected {
            return true;
        }
        let text = self.session.symbols.text(name.symbol());
        let message = format!(
            "macro `{text}` takes {}, but {given} given",
            count(expected, "argument")
        );
        let span = arguments
            .closing
            .map_or(name.span, |closing| name.span.to(closing));
        self.report(
            Diagnostic::error(Code::MacroArguments, span, message).secondary(place, "defined here"),
        );
        false
    }

    /// Puts the body of a macro onto the stack, arguments in place of parameters.
    fn substitute(&mut self, id: MacroId, name: &Raw, arguments: &Arguments) {
        let call_site = arguments
            .closing
            .map_or(name.span, |closing| name.span.to(closing));
        let expanded = self.expand_arguments(id, arguments, call_site);
        let length = self.session.macros.body_len(id);
        self.spend(length + 1, call_site);
        if arguments.broken_line {
            self.stack.push(mark(RawKind::Newline, 0));
        }
        if length == 0 {
            return;
        }
        let definition = self.session.macros.get(id).definition;
        let expansion = Expansion {
            kind: ExpansionKind::Macro,
            name: name.symbol(),
            call_site,
            definition,
        };
        let expn = self.session.sources.add_expansion(expansion);
        self.stack.push(mark(RawKind::EndOfMacro, id.value()));
        for index in (0..length as usize).rev() {
            let mut token = self.session.macros.body(id)[index];
            if token.kind != RawKind::Parameter {
                if token.kind == RawKind::Stringize {
                    token = self.stringize(token, arguments.get(token.value as usize));
                }
                token.span.expn = expn;
                self.stack.push(token);
                continue;
            }
            let argument = &expanded[token.value as usize];
            self.spend(argument.len() as u32, call_site);
            if self.exhausted {
                return;
            }
            let here = self.session.sources.add_expansion(Expansion {
                definition: token.span,
                ..expansion
            });
            self.stack.extend(
                argument
                    .iter()
                    .rev()
                    .map(|raw| relocate(raw, call_site.expn, here)),
            );
        }
        self.session.macros.set_disabled(id, true);
    }

    /// The arguments after expansion; one that the body does not use stays empty.
    fn expand_arguments(
        &mut self,
        id: MacroId,
        arguments: &Arguments,
        call_site: Span,
    ) -> Vec<Vec<Raw>> {
        let mut expanded = vec![Vec::new(); arguments.ends.len()];
        for (number, expansion) in expanded.iter_mut().enumerate() {
            let here =
                |token: &Raw| token.kind == RawKind::Parameter && token.value as usize == number;
            if self.session.macros.body(id).iter().any(here) {
                *expansion = self.expand_argument(arguments.get(number), call_site);
            }
        }
        expanded
    }

    /// The string that `#parameter` stands for: the argument as it was written.
    fn stringize(&mut self, token: Raw, argument: &[Raw]) -> Raw {
        let mut text = String::new();
        let mut before: Option<Span> = None;
        for raw in argument {
            if before.is_some_and(|before| before.expn != raw.span.expn || before.hi != raw.span.lo)
            {
                text.push(' ');
            }
            before = Some(raw.span);
            let written = self.session.sources.snippet(raw.span);
            if matches!(raw.kind, RawKind::Str | RawKind::Char) {
                text.push_str(&written.replace('\\', "\\\\").replace('"', "\\\""));
            } else {
                text.push_str(written);
            }
        }
        let value = self.session.symbols.intern(&text).index() as u32;
        Raw {
            kind: RawKind::Str,
            value,
            ..token
        }
    }

    /// The expansion of one argument.
    fn expand_argument(&mut self, tokens: &[Raw], call_site: Span) -> Vec<Raw> {
        if !tokens.iter().any(|token| self.call(token).is_some()) {
            return tokens.to_vec();
        }
        if self.argument_depth == MAX_ARGUMENT_DEPTH {
            self.exhausted = true;
            let message = format!("macro calls nest deeper than {MAX_ARGUMENT_DEPTH}");
            self.report(Diagnostic::error(Code::MacroNesting, call_site, message));
            return Vec::new();
        }
        self.argument_depth += 1;
        let mut out = Vec::with_capacity(tokens.len() * 2);
        self.expand_alone(tokens, &mut out);
        self.argument_depth -= 1;
        out
    }
}

/// A token that only the stack knows.
fn mark(kind: RawKind, value: u32) -> Raw {
    Raw {
        kind,
        starts_line: false,
        painted: false,
        value,
        span: Span::NONE,
    }
}

/// A token of an argument, marked as put in place of a parameter unless a deeper expansion made it.
fn relocate(token: &Raw, outside: ExpnId, here: ExpnId) -> Raw {
    let mut token = *token;
    token.starts_line = false;
    if token.span.expn == outside {
        token.span.expn = here;
    }
    token
}

/// "1 argument", "2 arguments".
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
