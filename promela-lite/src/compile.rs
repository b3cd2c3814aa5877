//! The front end's door: from files to a [`Program`].
//!
//! The syntax tree may be nested deeply, and what is done to it is recursive; so everything runs on a stack of its own
//! that is large enough for the deepest tree the parser lets through ([`crate::parse::MAX_DEPTH`]).

use crate::ast::Expr;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::loader::Loader;
use crate::program::Program;
use crate::source::{SourceMap, Span};
use crate::token::{Token, TokenKind};
use crate::tokenize::{Extra, Options, Session, TokenStream, tokenize, tokenize_formula};
use crate::{lower, parse};
use std::ops::Range;
use std::path::Path;

/// Bytes of stack; untouched pages cost nothing.
pub(crate) const STACK: usize = 512 << 20;

/// Less than this is no more than there is anyway.
const LEAST_STACK: usize = 4 << 20;

/// Does something on a stack of that size. Where the address space is limited it may be smaller; then the parser accepts fewer
/// levels.
fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    let mut size = STACK;
    // Some room beside it is for what is built.
    while memmap2::MmapMut::map_anon(size / 4 * 5).is_err() {
        size /= 2;
        if size < LEAST_STACK {
            return work();
        }
    }
    stacker::grow(size, work)
}

/// What is to be compiled.
#[derive(Clone, Debug, Default)]
pub struct Input<'i> {
    /// Files or texts that are read behind the model, such as a never claim.
    pub extra: &'i [Extra],
    /// Formulas given outside of the model, each with its name.
    pub formulas: &'i [(String, String)],
    /// Preprocessor definitions and the like.
    pub options: Options,
    /// Whether a model is compiled without those of its `ltl` blocks that are wrong, if nothing else is.
    pub without_bad_formulas: bool,
}

/// What came of it.
pub struct Compiled {
    /// The program; `None` when there were errors, other than those in formulas that were left out.
    pub program: Option<Program>,
    /// Names of the `ltl` blocks that were left out.
    pub bad_formulas: Vec<String>,
    /// Where spans point to.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
}

/// Compiles a model.
pub fn compile(model: &Path, input: &Input<'_>, loader: &mut dyn Loader) -> Compiled {
    on_large_stack(|| compile_on_this_stack(model, input, loader))
}

/// The model as it is after preprocessing, inlines expanded: its tokens, one per line. Comments, layout, macros and files
/// that leave no trace in the program leave none here, so that this tells whether two texts are the same program.
pub fn preprocessed(model: &Path, options: &Options, loader: &mut dyn Loader) -> String {
    let mut session = Session::default();
    let stream = on_large_stack(|| tokenize(model, &[], options, loader, &mut session));
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
    if !session.diagnostics.text_is_damaged() {
        for extra in input.extra {
            if let Extra::Claim(path) = extra {
                is_claim(path, &stream.tokens, &mut session);
            }
        }
    }
    let text_has_errors = session.diagnostics.has_errors();
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
    let mut bad_formulas = Vec::new();
    let mut program = match &model {
        // What a model means is only worth saying when it could be read as a whole.
        Some(model) if !session.diagnostics.has_errors() => {
            Some(lower::lower(model, &formulas, &mut session))
        }
        _ => None,
    };
    if session.diagnostics.has_errors() {
        program = None;
        if input.without_bad_formulas && !text_has_errors && formulas.len() == input.formulas.len()
        {
            let said = std::mem::take(&mut session.diagnostics);
            if let Some((rest, bad)) = without_bad_formulas(&stream, &formulas, &mut session) {
                program = Some(rest);
                bad_formulas = bad;
            }
            session.diagnostics = said;
        }
    }
    debug_assert_eq!(
        program
            .as_ref()
            .map(crate::verify::verify)
            .unwrap_or_default(),
        []
    );
    Compiled {
        program,
        bad_formulas,
        sources: session.sources,
        diagnostics: session.diagnostics,
    }
}

/// Complains if the text behind the model is not a never claim, or more than that.
fn is_claim(path: &Path, tokens: &[Token], session: &mut Session) {
    let mut depth = 0;
    let mut claims = 0;
    let behind = |token: &&Token| session.sources.root(token.span).lo >= session.extra;
    let mut other = None;
    let mut header = false;
    for token in tokens.iter().filter(behind) {
        match token.kind {
            TokenKind::LBrace => depth += 1,
            TokenKind::RBrace => depth -= 1,
            _ if depth > 0 => {}
            TokenKind::Never => claims += 1,
            TokenKind::Semi => {}
            // A claim may have a name.
            TokenKind::Name(_) if header => {}
            _ => other = other.or(Some(token.span)),
        }
        header = token.kind == TokenKind::Never;
    }
    let name = path.display();
    let error = match other {
        Some(span) => Diagnostic::error(
            Code::Syntax,
            span,
            format!("`{name}` must have a never claim, and nothing else"),
        ),
        None if claims == 0 => Diagnostic::error(
            Code::Syntax,
            Span::NONE,
            format!("`{name}` has no never claim"),
        ),
        None => return,
    };
    session
        .diagnostics
        .push(error.help("write `never { ... }`; `ample ltl` makes one of a formula"));
}

/// `ltl` blocks that are tried one by one; a model with more of them is not worth the time.
const MAX_TRIED: usize = 200;

/// The model without the `ltl` blocks that are wrong, and their names: each is tried beside those that are right. None if
/// the model is wrong without any of them.
fn without_bad_formulas(
    stream: &TokenStream,
    formulas: &[(String, Expr)],
    session: &mut Session,
) -> Option<(Program, Vec<String>)> {
    let blocks = ltl_blocks(&stream.tokens);
    if blocks.is_empty() || blocks.len() > MAX_TRIED {
        return None;
    }
    let mut left_out: Vec<bool> = vec![true; blocks.len()];
    let mut program = try_without(stream, &blocks, &left_out, formulas, session)?;
    let mut names = Vec::new();
    let mut bad = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        // A block without a name is called by its number, whatever is left out before it.
        let name = match stream.tokens[block.start + 1].kind {
            TokenKind::Name(name) => session.symbols.text(name).to_owned(),
            _ => format!("ltl_{index}"),
        };
        left_out[index] = false;
        if let Some(more) = try_without(stream, &blocks, &left_out, formulas, session) {
            program = more;
            names.push(name);
        } else {
            left_out[index] = true;
            bad.push(name);
        }
    }
    for (property, name) in program.ltl.iter_mut().zip(names) {
        property.name = name;
    }
    (!bad.is_empty()).then_some((program, bad))
}

fn try_without(
    stream: &TokenStream,
    blocks: &[Range<usize>],
    left_out: &[bool],
    formulas: &[(String, Expr)],
    session: &mut Session,
) -> Option<Program> {
    let mut tokens = stream.tokens.clone();
    for (block, _) in blocks.iter().zip(left_out).rev().filter(|(_, out)| **out) {
        tokens.drain(block.clone());
    }
    let stream = TokenStream {
        tokens,
        end: stream.end,
    };
    session.diagnostics = Diagnostics::default();
    let model = parse::parse(&stream, &session.symbols, &mut session.diagnostics)?;
    if session.diagnostics.has_errors() {
        return None;
    }
    let program = lower::lower(&model, formulas, session);
    (!session.diagnostics.has_errors()).then_some(program)
}

/// The tokens of each `ltl` block, as far as its braces are closed.
fn ltl_blocks(tokens: &[Token]) -> Vec<Range<usize>> {
    let kind = |at: usize| tokens.get(at).map(|t| t.kind);
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        at += 1;
        if kind(start) != Some(TokenKind::Ltl) {
            continue;
        }
        if matches!(kind(at), Some(TokenKind::Name(_))) {
            at += 1;
        }
        if kind(at) != Some(TokenKind::LBrace) {
            continue;
        }
        let mut depth = 0;
        while let Some(here) = kind(at) {
            at += 1;
            match here {
                TokenKind::LBrace => depth += 1,
                TokenKind::RBrace => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                blocks.push(start..at);
                break;
            }
        }
    }
    blocks
}
