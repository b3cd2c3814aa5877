//! The C preprocessor that Promela models are written for, on tokens.
//!
//! SPIN runs the system's preprocessor first; here it is built in, so that spans survive and no C compiler is needed.
//! This file walks the lines of files and includes; [`directive`] obeys `#` lines, [`condition`] evaluates `#if`,
//! [`expand`] replaces macro calls, [`paste`] makes new tokens for `#` and `##`, and [`macros`] is the table.
//!
//! Everything that can explode has a bound: nesting of includes, nesting of macro arguments, and the number of tokens
//! that expansion may touch. After a bound is hit the preprocessor says so once and stops.

mod condition;
mod directive;
mod expand;
pub(crate) mod macros;
mod paste;

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Raw, RawKind, lex};
use crate::loader::Loader;
use crate::source::{FileId, Span};
use crate::tokenize::Session;
use condition::Conditional;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How deep `#include` may nest.
const MAX_INCLUDE_DEPTH: usize = 64;

/// How many tokens macro expansion and repeated inclusion may touch in all.
const MAX_EXPANDED_TOKENS: u32 = 5_000_000;

/// The lines of one file and how far they have been read.
struct Input<'a> {
    tokens: &'a [Raw],
    at: usize,
}

impl Input<'_> {
    /// Moves behind the next newline.
    fn skip_line(&mut self) {
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            if token.kind == RawKind::Newline {
                break;
            }
        }
    }
}

/// A preprocessor at work.
pub(crate) struct Preprocessor<'a> {
    session: &'a mut Session,
    loader: &'a mut dyn Loader,
    /// The files under inclusion, outermost first.
    including: Vec<PathBuf>,
    /// What was read before, so that a file included a thousand times is read once.
    loaded: FxHashMap<PathBuf, Rc<Vec<Raw>>>,
    /// Files that asked to be included once.
    once: FxHashSet<PathBuf>,
    conditionals: Vec<Conditional>,
    /// Tokens still to be read, last first, before the file goes on.
    stack: Vec<Raw>,
    /// The next token to be put out is the first on its line.
    starts_line: bool,
    /// White space stands before the next token of the stack, whatever that token says.
    spaced: bool,
    budget: u32,
    argument_depth: u32,
    /// A bound was hit; nothing more is read.
    exhausted: bool,
}

impl<'a> Preprocessor<'a> {
    pub(crate) fn new(session: &'a mut Session, loader: &'a mut dyn Loader) -> Preprocessor<'a> {
        Preprocessor {
            session,
            loader,
            including: Vec::new(),
            loaded: FxHashMap::default(),
            once: FxHashSet::default(),
            conditionals: Vec::new(),
            stack: Vec::new(),
            starts_line: false,
            spaced: false,
            budget: MAX_EXPANDED_TOKENS,
            argument_depth: 0,
            exhausted: false,
        }
    }

    /// Whether a bound was hit, so that the rest is missing.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Reads the file at `path`; `at` is the place that asked for it.
    pub(crate) fn file(&mut self, path: &Path, at: Span, out: &mut Vec<Raw>) {
        let tokens = match self.loaded.get(path) {
            Some(tokens) => {
                let tokens = tokens.clone();
                self.spend(tokens.len() as u32, at);
                tokens
            }
            None => {
                let Some(tokens) = self.load(path, at) else {
                    return;
                };
                self.loaded.insert(path.to_owned(), tokens.clone());
                tokens
            }
        };
        self.including.push(path.to_owned());
        self.lines(&tokens, out);
        self.including.pop();
    }

    /// What is read from now on is no part of the model.
    pub(crate) fn mark_end_of_model(&mut self) {
        self.session.extra = self.session.sources.end();
    }

    /// Reads `text`, shown in messages as `name`.
    pub(crate) fn text(&mut self, name: &str, text: &str, out: &mut Vec<Raw>) {
        if let Some(tokens) = self.add(name, text.as_bytes().to_vec(), Span::NONE) {
            self.lines(&tokens, out);
        }
    }

    fn load(&mut self, path: &Path, at: Span) -> Option<Rc<Vec<Raw>>> {
        match self.loader.load(path) {
            Ok(bytes) => self.add(&path.display().to_string(), bytes, at),
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                self.report(Diagnostic::error(Code::CannotRead, at, message));
                None
            }
        }
    }

    fn add(&mut self, name: &str, bytes: Vec<u8>, at: Span) -> Option<Rc<Vec<Raw>>> {
        let Some(file) = self.session.sources.add_file(name, bytes) else {
            self.report(Diagnostic::error(
                Code::TextTooLarge,
                at,
                format!("`{name}` is too large"),
            ));
            self.exhausted = true;
            return None;
        };
        Some(self.lex(file))
    }

    fn lex(&mut self, file: FileId) -> Rc<Vec<Raw>> {
        let (text, base) = self.session.sources.text(file);
        let tokens = lex(&text, base, &mut self.session.symbols);
        // Such a comment swallows everything to the end of its file, so it is the last token before the final
        // newline, and it matters even if a conditional skips it.
        if let [.., comment, _] = tokens[..]
            && comment.kind == RawKind::UnterminatedComment
        {
            let opening = Span {
                hi: comment.span.lo + 2,
                ..comment.span
            };
            let error = Diagnostic::error(
                Code::UnterminatedComment,
                opening,
                "this comment is never closed",
            );
            self.report(
                error
                    .label("opened here")
                    .help("add `*/` where the comment should end"),
            );
        }
        Rc::new(tokens)
    }

    /// Reads the lines of one file.
    fn lines(&mut self, tokens: &[Raw], out: &mut Vec<Raw>) {
        let open = self.conditionals.len();
        out.reserve(tokens.len());
        let mut input = Input { tokens, at: 0 };
        while let Some(first) = input.tokens.get(input.at) {
            if self.exhausted {
                return;
            }
            if first.kind == RawKind::Hash {
                self.directive(&mut input, out);
            } else if self.skipping() {
                input.skip_line();
            } else {
                self.text_line(&mut input, out);
            }
        }
        for conditional in self
            .conditionals
            .split_off(open.min(self.conditionals.len()))
        {
            let error = Diagnostic::error(
                Code::UnbalancedConditional,
                conditional.opened,
                "this `#if` is never closed",
            );
            self.report(error.help("add `#endif`"));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.session.diagnostics.push(diagnostic);
    }

    /// Takes `tokens` from the budget; when it runs out, says so and stops everything.
    fn spend(&mut self, tokens: u32, at: Span) {
        match self.budget.checked_sub(tokens) {
            Some(rest) => self.budget = rest,
            None if self.exhausted => {}
            None => {
                self.exhausted = true;
                let message = format!("macro expansion exceeds {MAX_EXPANDED_TOKENS} tokens");
                let error = Diagnostic::error(Code::ExpansionLimit, at, message)
                    .label("while expanding this");
                self.report(
                    error.help("macros that call each other may multiply the text; simplify them"),
                );
            }
        }
    }
}
