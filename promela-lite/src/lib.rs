//! Promela front end: text to control-flow graphs.

mod classify;
pub mod codes;
pub mod diagnostic;
mod filter;
mod formula;
mod inline;
mod lexer;
pub mod loader;
mod plain;
mod preprocess;
mod semicolon;
pub mod source;
pub mod symbol;
pub mod token;
pub mod tokenize;

pub use codes::Code;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use loader::{FsLoader, Loader, MemoryLoader};
pub use source::{Expansion, ExpansionKind, ExpnId, FileId, Location, SourceMap, Span};
pub use symbol::{Interner, Symbol};
pub use token::{Token, TokenKind};
pub use tokenize::{Extra, Options, Session, TokenStream, tokenize, tokenize_formula};
