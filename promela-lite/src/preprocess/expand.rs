//! Macro expansion.
//!
//! Tokens to be read stand on a stack, last first. To expand a call, the body goes onto the stack with the arguments
//! in place of the parameters, and below it a mark; the macro is disabled until the mark comes up again. A name met
//! while its macro is disabled is *painted* and never expanded afterwards. This is the rule of the C standard (6.10.3.4)
//! in the form C compilers use, and it ends the expansion of every recursive definition.
//!
//! An argument is expanded on its own, before it is put in: it goes onto the stack above a barrier behind which
//! nothing is read. A call may span lines; what follows it then counts as standing on a new line, as in the output of
//! a C preprocessor. An argument beside `##` or behind `#` is taken as it was written.
//!
//! Where nothing takes the place of a call or a parameter, a placemarker does: `##` needs something on both sides, and
//! white space before what vanished counts in a string made by `#`.

use super::macros::{Macro, MacroId, Parameters};
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
    /// The variadic parameter got no argument, not even an empty one.
    rest_absent: bool,
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
        let spaced = std::mem::take(&mut self.spaced);
        self.stack.push(Raw::mark(RawKind::EndOfArgument, 0));
        self.stack.extend(tokens.iter().rev());
        self.drain(&mut Input { tokens: &[], at: 0 }, out);
        self.stack.pop();
        self.starts_line = starts_line;
        self.spaced = spaced;
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
                RawKind::Placemarker => self.spaced |= token.spaced,
                kind => {
                    if kind == RawKind::Word {
                        token.painted |= self
                            .call(&token)
                            .is_some_and(|id| self.session.macros.get(id).disabled);
                    }
                    token.spaced |= std::mem::take(&mut self.spaced);
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
            if !self.collect(id, &name, input, &mut arguments)
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
                RawKind::Placemarker => self.spaced |= next.spaced,
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
    fn collect(
        &mut self,
        id: MacroId,
        name: &Raw,
        input: &mut Input<'_>,
        arguments: &mut Arguments,
    ) -> bool {
        // How many commas end an argument: those in the rest of the arguments belong to it.
        let commas = match self.session.macros.get(id).parameters {
            Some(Parameters {
                count,
                variadic: true,
            }) => count as usize - 1,
            _ => usize::MAX,
        };
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
                    next.map(|token| Raw {
                        spaced: token.spaced | std::mem::take(&mut self.spaced),
                        ..token
                    })
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
                RawKind::Comma if depth == 0 && arguments.ends.len() < commas => {
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
        let Parameters {
            count: expected,
            variadic,
        } = definition.parameters.unwrap_or_default();
        let expected = expected as usize;
        let nothing = arguments.ends.len() == 1 && arguments.tokens.is_empty();
        if nothing && (expected == 0 || expected == 1 && variadic) {
            arguments.ends.clear();
        }
        let (given, place) = (arguments.ends.len(), definition.definition);
        if variadic && given + 1 == expected {
            arguments.rest_absent = true;
            arguments.ends.push(arguments.tokens.len());
            return true;
        }
        if given == expected {
            return true;
        }
        let text = self.session.symbols.text(name.symbol());
        let (at_least, required) = match variadic {
            true => ("at least ", expected - 1),
            false => ("", expected),
        };
        let message = format!(
            "macro `{text}` takes {at_least}{}, but {given} given",
            count(required, "argument")
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
            self.stack.push(Raw::mark(RawKind::Newline, 0));
        }
        if length == 0 {
            self.stack.push(placemarker(name.spaced));
            return;
        }
        let Macro {
            definition,
            parameters,
            ..
        } = *self.session.macros.get(id);
        let expansion = Expansion {
            kind: ExpansionKind::Macro,
            name: name.symbol(),
            call_site,
            definition,
        };
        let expn = self.session.sources.add_expansion(expansion);
        let rest = parameters
            .filter(|parameters| parameters.variadic)
            .map(|parameters| parameters.count - 1);
        self.stack.push(Raw::mark(RawKind::EndOfMacro, id.value()));
        // First to last, so that `##` finds its left side on top; turned round at the end.
        let bottom = self.stack.len();
        // The operand before the next `##`, or the whole chain of them, in the body.
        let mut place = Span::NONE;
        let mut pasting = false;
        for index in 0..length as usize {
            let mut token = self.session.macros.body(id)[index];
            if token.kind == RawKind::Paste {
                pasting = true;
                continue;
            }
            place = if pasting {
                place.to(token.span)
            } else {
                token.span
            };
            let glued = std::mem::take(&mut pasting).then_some(Span { expn, ..place });
            if index == 0 {
                token.spaced = name.spaced;
            }
            let argument = match token.kind {
                RawKind::Parameter => &expanded[token.value as usize],
                RawKind::PastedParameter => arguments.get(token.value as usize),
                kind => {
                    if kind == RawKind::Stringize {
                        token = self.stringize(token, arguments.get(token.value as usize));
                    }
                    token.span.expn = expn;
                    self.push_operand(token, glued);
                    continue;
                }
            };
            self.spend(argument.len() as u32, call_site);
            if self.exhausted {
                return;
            }
            // GNU C: a comma is not pasted to the rest of the arguments, but vanishes if there is no rest.
            let after_comma = glued.is_some()
                && Some(token.value) == rest
                && self
                    .stack
                    .last()
                    .is_some_and(|left| left.kind == RawKind::Comma);
            if after_comma && arguments.rest_absent {
                self.stack.pop();
            }
            let glued = glued.filter(|_| !after_comma);
            let here = self.session.sources.add_expansion(Expansion {
                definition: token.span,
                ..expansion
            });
            let Some((first, others)) = argument.split_first() else {
                self.push_operand(placemarker(token.spaced && !after_comma), glued);
                continue;
            };
            let mut first = relocate(first, call_site.expn, here);
            if !after_comma {
                first.spaced = token.spaced;
            }
            self.push_operand(first, glued);
            self.stack
                .extend(others.iter().map(|raw| relocate(raw, call_site.expn, here)));
        }
        self.stack[bottom..].reverse();
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

/// Nothing, with or without white space before it.
fn placemarker(spaced: bool) -> Raw {
    Raw {
        spaced,
        ..Raw::mark(RawKind::Placemarker, 0)
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
