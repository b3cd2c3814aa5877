//! Promela front end: text to control-flow graphs.

pub mod ast;
mod classify;
pub mod code;
pub mod codes;
pub mod compile;
pub mod diagnostic;
pub mod expand_calls;
mod filter;
mod formula;
mod inline;
mod lexer;
pub mod loader;
mod lower;
pub mod opt;
pub mod parse;
mod plain;
mod preprocess;
pub mod program;
mod repair;
mod semicolon;
pub mod source;
mod spelling;
pub mod symbol;
mod syntax_error;
mod text;
pub mod token;
pub mod tokenize;
pub mod variant;

pub mod verify;

pub use codes::Code;
pub use compile::{Compiled, Input, compile, preprocessed};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use loader::{FsLoader, Loader, MemoryLoader};
pub use source::{Expansion, ExpansionKind, ExpnId, FileId, Location, SourceMap, Span};
pub use symbol::{Interner, Symbol};
pub use token::{Token, TokenKind};
pub use tokenize::{Extra, Options, Session, TokenStream, tokenize, tokenize_formula};
