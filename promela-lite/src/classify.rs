//! From raw tokens to the tokens of the grammar: keywords, kinds of names, and formulas.
//!
//! A name that an earlier `typedef` or `proctype` introduced has a kind of its own, because the grammar could not
//! tell a declaration or a remote reference from anything else. Behind a dot, `@`, `goto` and the words that introduce
//! names it is a plain name all the same. `procedure` is a keyword only where it begins one, and `return` only inside.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::formula::{formula_block, reclassify};
use crate::lexer::{Raw, RawKind};
use crate::plain::plain;
use crate::semicolon::Separators;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, keyword, word};
use crate::tokenize::Session;
use std::ops::Range;

/// What kind of name a symbol is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum Class {
    #[default]
    Plain,
    Type,
    Process,
}

/// The kinds of all names, by symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    classes: Vec<Class>,
}

impl Names {
    fn set(&mut self, symbol: Symbol, class: Class) {
        if self.classes.len() <= symbol.index() {
            self.classes.resize(symbol.index() + 1, Class::Plain);
        }
        self.classes[symbol.index()] = class;
    }

    /// The token for `symbol` behind `before`.
    pub(crate) fn token(&self, symbol: Symbol, before: Option<TokenKind>) -> TokenKind {
        use TokenKind::*;
        let class = self
            .classes
            .get(symbol.index())
            .copied()
            .unwrap_or_default();
        if class == Class::Plain
            || matches!(
                before,
                Some(Dot | At | Goto | Proctype | DProctype | Typedef | Never | Ltl)
            )
        {
            return Name(symbol);
        }
        if class == Class::Type {
            TypeName(symbol)
        } else {
            ProcName(symbol)
        }
    }
}

/// The tokens of a model.
pub(crate) fn classify(raws: &[Raw], session: &mut Session) -> Vec<Token> {
    let mut separators = Separators::default();
    separators.out.reserve(raws.len() + raws.len() / 4);
    let mut formulas: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    let (mut parentheses, mut for_header) = (0_u32, None);
    let (mut braces, mut in_procedure) = (0_u32, false);
    let mut at = 0;
    while let Some(raw) = raws.get(at) {
        at += 1;
        let kind = match raw.kind {
            RawKind::Word => match keyword(raw.symbol()) {
                Some(TokenKind::In) if for_header.is_none() => TokenKind::Name(raw.symbol()),
                Some(TokenKind::Ltl) => {
                    separators.flush();
                    let start = separators.out.len();
                    separators.out.push(Token {
                        kind: TokenKind::Ltl,
                        span: raw.span,
                    });
                    at = formula_block(raws, at, &mut separators.out, session);
                    formulas.push(start..separators.out.len());
                    before = None;
                    continue;
                }
                Some(TokenKind::Return) if !in_procedure => {
                    let message =
                        "`return` outside a procedure or an inline that is called for its value";
                    session.diagnostics.push(Diagnostic::error(
                        Code::ReturnOutsideInline,
                        raw.span,
                        message,
                    ));
                    continue;
                }
                Some(kind) => kind,
                None if braces == 0 && declares_procedure(raw, &raws[at..]) => {
                    in_procedure = true;
                    TokenKind::Procedure
                }
                None => {
                    match before {
                        Some(TokenKind::Typedef) => session.names.set(raw.symbol(), Class::Type),
                        Some(TokenKind::Proctype | TokenKind::DProctype) => {
                            session.names.set(raw.symbol(), Class::Process);
                        }
                        _ => {}
                    }
                    session.names.token(raw.symbol(), before)
                }
            },
            _ => match plain(raw, session) {
                Some(kind) => kind,
                None => continue,
            },
        };
        match kind {
            TokenKind::LBrace => braces += 1,
            TokenKind::RBrace => {
                braces = braces.saturating_sub(1);
                in_procedure &= braces > 0;
            }
            TokenKind::LParen => {
                parentheses += 1;
                if before == Some(TokenKind::For) {
                    for_header = Some(parentheses);
                }
            }
            TokenKind::RParen => {
                for_header = for_header.filter(|&header| header != parentheses);
                parentheses = parentheses.saturating_sub(1);
            }
            _ => {}
        }
        before = Some(kind);
        separators.read(
            Token {
                kind,
                span: raw.span,
            },
            raw.starts_line,
        );
    }
    let mut tokens = separators.finish();
    for range in formulas {
        reclassify(&mut tokens[range], &session.names);
    }
    tokens
}

/// Whether a word outside of all braces begins a procedure: no other text has a name there, and behind it a second name
/// with a parenthesis.
fn declares_procedure(raw: &Raw, rest: &[Raw]) -> bool {
    raw.is_word(word::PROCEDURE)
        && matches!(rest, [name, open, ..] if name.kind == RawKind::Word && open.kind == RawKind::LParen)
}
