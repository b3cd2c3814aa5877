//! Semicolons that need not be written, and those that are too many.
//!
//! Promela's separators are forgiving: a newline ends a statement where one can end, a closing brace and `else` need
//! no separator behind them, and a separator before a brace or another separator is dropped. SPIN does this between
//! its lexer and its grammar, and so do we, with the same rules, so that the same programs are accepted:
//!
//! - Inside a body or a typedef, outside parentheses, a newline after a token that can end a statement counts as a
//!   semicolon, unless `unless` follows a brace.
//! - `else` and `}` are followed by a semicolon unless what comes next cannot be a statement.
//! - A separator directly before `}` or another separator is dropped.
//!
//! We part with SPIN in one place: it inserts a semicolon between `}` and a comma, which makes
//! `chan a = [1] of { byte }, b;` an error. An implied semicolon has an empty span just behind the token before it.

use crate::token::{Token, TokenKind};

/// Tokens on their way to the parser.
#[derive(Default)]
pub(crate) struct Separators {
    pub(crate) out: Vec<Token>,
    /// The last token that went to the parser, forgotten behind an implied semicolon.
    last: Option<TokenKind>,
    /// The last token that was read.
    last_read: Option<TokenKind>,
    /// A separator that goes to the parser unless what follows makes it superfluous.
    pending: Option<Token>,
    parentheses: u32,
    braces: u32,
    /// Inside a body or a typedef, where newlines matter.
    in_sequence: bool,
}

impl Separators {
    /// Reads a token that is, or is not, the first on its line.
    pub(crate) fn read(&mut self, token: Token, starts_line: bool) {
        let newline_counts = starts_line
            && self.in_sequence
            && self.parentheses == 0
            && self.last_read.is_some_and(ends_statement)
            && !(self.last_read == Some(TokenKind::RBrace)
                && matches!(token.kind, TokenKind::Unless | TokenKind::Comma));
        if newline_counts {
            self.separate(self.implied(token));
        }
        self.separate(token);
    }

    /// What the parser gets.
    pub(crate) fn finish(mut self) -> Vec<Token> {
        self.flush();
        self.out
    }

    /// Sends what is held back, so that other tokens can be appended to `out`.
    pub(crate) fn flush(&mut self) {
        if let Some(separator) = self.pending.take() {
            self.put(separator);
        }
    }

    /// An implicit semicolon, behind the last token.
    fn implied(&self, next: Token) -> Token {
        let before = self.pending.as_ref().or(self.out.last()).unwrap_or(&next);
        Token {
            kind: TokenKind::Semi,
            span: before.span.end(),
        }
    }

    fn separate(&mut self, token: Token) {
        self.last_read = Some(token.kind);
        let is_separator = matches!(token.kind, TokenKind::Semi | TokenKind::Arrow);
        if let Some(separator) = self.pending.take() {
            if !is_separator && token.kind != TokenKind::RBrace {
                self.put(separator);
            }
            self.put(token);
            return;
        }
        let wants_separator = match self.last {
            Some(TokenKind::Else) => !is_separator && token.kind != TokenKind::Fi,
            Some(TokenKind::RBrace) => !is_separator && !follows_brace(token.kind),
            _ => false,
        };
        if wants_separator {
            self.put(self.implied(token));
            self.put(token);
        } else if is_separator {
            self.pending = Some(token);
        } else {
            self.put(token);
        }
    }

    fn put(&mut self, token: Token) {
        match token.kind {
            TokenKind::LParen => self.parentheses += 1,
            TokenKind::RParen => self.parentheses = self.parentheses.saturating_sub(1),
            TokenKind::LBrace => {
                // At the top level these braces hold a list of names, types or values and not a sequence.
                let list = matches!(
                    self.last,
                    Some(TokenKind::Assign | TokenKind::Of | TokenKind::Mtype)
                );
                self.in_sequence |= self.braces == 0 && !list;
                self.braces += 1;
            }
            TokenKind::RBrace => {
                self.braces = self.braces.saturating_sub(1);
                self.in_sequence &= self.braces > 0;
            }
            _ => {}
        }
        self.last = Some(token.kind);
        self.out.push(token);
    }
}

/// Whether a statement or declaration can end with such a token.
fn ends_statement(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        RBrace
            | RParen
            | RBracket
            | Od
            | Fi
            | Else
            | Break
            | Return
            | Name(_)
            | Number(_)
            | True
            | False
            | Skip
            | Timeout
            | PlusPlus
            | MinusMinus
    )
}

/// Whether a closing brace needs no separator before such a token.
fn follows_brace(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Proctype | Procedure | Init | Never | DoubleColon | Fi | Od | RBrace | Unless | Comma
    )
}
