//! The door from text to tokens: a session, its options, and the chain of passes.

use crate::diagnostic::Diagnostics;
use crate::source::{Loader, SourceMap, Span};
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
    /// A file.
    File(PathBuf),
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
}

/// What the parser eats.
#[derive(Clone, Debug)]
pub struct TokenStream {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The place just after the last one, for "unexpected end of file".
    pub end: Span,
}

/// Reads the model at `main` and whatever follows it, through every pass, to tokens.
pub fn tokenize(
    _main: &Path,
    _extra: &[Extra],
    _options: &Options,
    _loader: &mut dyn Loader,
    _session: &mut Session,
) -> TokenStream {
    TokenStream {
        tokens: Vec::new(),
        end: Span::NONE,
    }
}

/// Reads one formula, with the macros that [`tokenize`] left in the session.
pub fn tokenize_formula(_text: &str, _display_name: &str, _session: &mut Session) -> TokenStream {
    TokenStream {
        tokens: Vec::new(),
        end: Span::NONE,
    }
}
