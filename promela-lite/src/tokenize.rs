//! The door from text to tokens: a session, its options, and the chain of passes.
//!
//! lexer → preprocessor → embedded C taken out → inlines expanded → names classified and separators supplied. Each
//! pass is a function from tokens to tokens; diagnostics go to the session, and every pass leaves something sensible
//! behind, so that the parser can always run and find more.

use crate::classify::{Names, classify};
use crate::diagnostic::Diagnostics;
use crate::filter::{remove_comment_ends, remove_embedded_c};
use crate::formula::formula;
use crate::inline::expand_inlines;
use crate::lexer::Raw;
use crate::loader::{Loader, MemoryLoader};
use crate::preprocess::Preprocessor;
use crate::preprocess::macros::MacroTable;
use crate::source::{SourceMap, Span};
use crate::symbol::Interner;
use crate::token::Token;
use std::path::{Path, PathBuf};

/// What the command line may set.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME` and `-D NAME=VALUE`.
    pub defines: Vec<(String, Option<String>)>,
}

/// Text that is read after the model, such as a never claim.
#[derive(Clone, Debug)]
pub enum Extra {
    /// A file that has a never claim, and nothing else.
    Claim(PathBuf),
    /// Text under a name for messages.
    Text {
        /// The name that messages show.
        name: String,
        /// The text.
        text: String,
    },
}

/// What all passes share.
#[derive(Default)]
pub struct Session {
    /// Files and expansions.
    pub sources: SourceMap,
    /// Names.
    pub symbols: Interner,
    /// Complaints.
    pub diagnostics: Diagnostics,
    pub(crate) macros: MacroTable,
    pub(crate) names: Names,
    /// Where the text behind the model begins.
    pub(crate) extra: u32,
}

impl Session {
    /// The text of a token.
    pub(crate) fn written(&self, raw: &Raw) -> &str {
        match raw.made_text() {
            Some(text) => self.symbols.text(text),
            None => self.sources.snippet(raw.span),
        }
    }
}

/// What the parser eats.
#[derive(Clone, Debug)]
pub struct TokenStream {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The place just after the last one, for "unexpected end of file".
    pub end: Span,
}

impl TokenStream {
    fn new(tokens: Vec<Token>, session: &Session) -> TokenStream {
        let end = tokens
            .last()
            .map_or(Span::NONE, |last| session.sources.root(last.span).end());
        TokenStream { tokens, end }
    }
}

/// Reads the model at `main` and whatever follows it, through every pass, to tokens.
pub fn tokenize(
    main: &Path,
    extra: &[Extra],
    options: &Options,
    loader: &mut dyn Loader,
    session: &mut Session,
) -> TokenStream {
    let mut tokens = Vec::new();
    let mut preprocessor = Preprocessor::new(session, loader);
    preprocessor.text("<command line>", &command_line(options), &mut tokens);
    preprocessor.file(main, Span::NONE, &mut tokens);
    preprocessor.mark_end_of_model();
    for extra in extra {
        match extra {
            Extra::Claim(path) => preprocessor.file(path, Span::NONE, &mut tokens),
            Extra::Text { name, text } => preprocessor.text(name, text, &mut tokens),
        }
    }
    // Half a model would only give rise to further errors.
    if preprocessor.is_exhausted() {
        tokens.clear();
    }
    remove_embedded_c(&mut tokens, session);
    remove_comment_ends(&mut tokens, session);
    let tokens = expand_inlines(tokens, session);
    let tokens = classify(&tokens, session);
    TokenStream::new(tokens, session)
}

/// Reads one formula, with the macros and names that [`tokenize`] left in the session.
pub fn tokenize_formula(text: &str, display_name: &str, session: &mut Session) -> TokenStream {
    let mut raws = Vec::new();
    Preprocessor::new(session, &mut MemoryLoader::default()).text(display_name, text, &mut raws);
    remove_embedded_c(&mut raws, session);
    remove_comment_ends(&mut raws, session);
    let mut tokens = Vec::with_capacity(raws.len());
    formula(&raws, &mut tokens, session);
    TokenStream::new(tokens, session)
}

/// The definitions of the command line as the lines they stand for.
fn command_line(options: &Options) -> String {
    let mut text = String::new();
    for (name, value) in &options.defines {
        let line = format!("#define {name} {}", value.as_deref().unwrap_or("1"));
        text.push_str(&line.replace(['\n', '\r'], " "));
        text.push('\n');
    }
    text
}
