//! The front end's door: from files to a [`Program`].
//!
//! The syntax tree may be nested deeply, and what is done to it is recursive; so everything runs on a stack of its own
//! that is large enough for the deepest tree the parser lets through ([`crate::parse::MAX_DEPTH`]).

use crate::diagnostic::Diagnostics;
use crate::loader::Loader;
use crate::program::Program;
use crate::source::SourceMap;
use crate::token::TokenKind;
use crate::tokenize::{Extra, Options, Session, tokenize, tokenize_formula};
use crate::{lower, parse};
use std::path::Path;

/// Bytes of stack; untouched pages cost nothing.
const STACK: usize = 512 << 20;

/// What is to be compiled.
#[derive(Clone, Debug, Default)]
pub struct Input<'i> {
    /// Files or texts that are read behind the model, such as a never claim.
    pub extra: &'i [Extra],
    /// Formulas given outside of the model, each with its name.
    pub formulas: &'i [(String, String)],
    /// Preprocessor definitions and the like.
    pub options: Options,
}

/// What came of it.
pub struct Compiled {
    /// The program; `None` when there were errors.
    pub program: Option<Program>,
    /// Where spans point to.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
}

/// Compiles a model.
pub fn compile(model: &Path, input: &Input<'_>, loader: &mut dyn Loader) -> Compiled {
    stacker::grow(STACK, || compile_on_this_stack(model, input, loader))
}

/// The model as it is after preprocessing, inlines expanded: its tokens, one a line. Comments, layout, macros and files that
/// leave no trace in the program leave none here, so that this tells whether two texts are the same program.
pub fn preprocessed(model: &Path, options: &Options, loader: &mut dyn Loader) -> String {
    let mut session = Session::default();
    let stream = stacker::grow(STACK, || {
        tokenize(model, &[], options, loader, &mut session)
    });
    let mut text = String::new();
    for token in stream.tokens {
        match token.kind {
            TokenKind::Name(name) | TokenKind::TypeName(name) | TokenKind::ProcName(name) => {
                text.push_str(session.symbols.text(name));
            }
            TokenKind::Number(value) => text.push_str(&value.to_string()),
            TokenKind::Str(content) => {
                text.push('"');
                text.push_str(session.symbols.text(content));
                text.push('"');
            }
            other => text.push_str(other.text()),
        }
        text.push('\n');
    }
    text
}

fn compile_on_this_stack(path: &Path, input: &Input<'_>, loader: &mut dyn Loader) -> Compiled {
    let mut session = Session::default();
    let stream = tokenize(path, input.extra, &input.options, loader, &mut session);
    let model = if session.diagnostics.text_is_damaged() {
        None
    } else {
        parse::parse(&stream, &session.symbols, &mut session.diagnostics)
    };
    let mut formulas = Vec::new();
    for (name, text) in input.formulas {
        let stream = tokenize_formula(text, name, &mut session);
        if let Some(formula) =
            parse::parse_formula(&stream, &session.symbols, &mut session.diagnostics)
        {
            formulas.push((name.clone(), formula));
        }
    }
    let program = match &model {
        // What a model means is only worth saying when it could be read as a whole.
        Some(model) if !session.diagnostics.has_errors() => {
            Some(lower::lower(model, &formulas, &mut session))
        }
        _ => None,
    };
    let program = program.filter(|_| !session.diagnostics.has_errors());
    debug_assert_eq!(
        program
            .as_ref()
            .map(crate::verify::verify)
            .unwrap_or_default(),
        []
    );
    Compiled {
        program,
        sources: session.sources,
        diagnostics: session.diagnostics,
    }
}
