//! Promela front end: text to control-flow graphs.

pub mod ast;
pub mod code;
pub mod codes;
pub mod diagnostic;
pub mod parse;
pub mod program;
pub mod source;
pub mod symbol;
pub mod token;
pub mod tokenize;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use source::{Expansion, ExpansionKind, ExpnId, FileId, Loader, Location, SourceMap, Span};
pub use symbol::{Interner, Symbol};
pub use token::{Token, TokenKind};
pub use tokenize::{Extra, Options, Session, TokenStream, tokenize, tokenize_formula};
