//! How parsing goes on after a syntax error.
//!
//! The parser stops at its first error. The text around it is then repaired, token by token, and parsed again: a
//! forgotten `fi`, `od` or `}` is put in, a closing bracket that closes nothing is taken out, and otherwise the
//! statement (or, at the top level, the unit) that contains the error is replaced. The extent of a statement is read
//! from the structure of brackets, which a local error rarely destroys; so one mistake is reported once, and what
//! comes behind it is still looked at.
//!
//! Brackets are matched tolerantly: `}` also ends the `if`s and `do`s that were left open inside of it, `fi` and `od`
//! end each other's blocks, and a separator ends what was left open of parentheses.

use crate::source::Span;
use crate::token::{Token, TokenKind};

/// What kind of bracket is open.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Bracket {
    Brace,
    If,
    Do,
    /// Braces around names, types or values: part of a statement and no block of their own.
    List,
}

/// The structure of brackets around each token.
pub(crate) struct Structure<'t> {
    tokens: &'t [Token],
    /// The innermost block (not list) around each token, by its opening token; the tokens of a bracket lie outside it.
    block: Vec<Option<u32>>,
    /// The closing token of each opening one.
    closing: Vec<Option<u32>>,
    /// How many parentheses and square brackets are open in the statement.
    parentheses: Vec<u32>,
    /// Blocks that are never closed, outermost first.
    unclosed: Vec<u32>,
}

/// What is wrong with the brackets at an error, if that is what is wrong.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Fault {
    /// The block that was opened there should have been closed before the error.
    NotClosed(u32),
    /// The block that was opened there is closed by the wrong word.
    WrongWord(u32),
    /// A closing bracket without an opening one.
    ClosesNothing,
}

impl<'t> Structure<'t> {
    /// Looks at all brackets.
    pub(crate) fn new(tokens: &'t [Token]) -> Structure<'t> {
        let mut structure = Structure {
            tokens,
            block: Vec::with_capacity(tokens.len()),
            closing: vec![None; tokens.len()],
            parentheses: Vec::with_capacity(tokens.len()),
            unclosed: Vec::new(),
        };
        let mut open: Vec<(Bracket, u32)> = Vec::new();
        let mut parentheses = 0;
        for (index, token) in tokens.iter().enumerate() {
            let index = index as u32;
            if let Some(wanted) = closes(token.kind) {
                let from = open.iter().rposition(|&(kind, _)| {
                    kind == wanted
                        || (wanted == Bracket::Brace && kind == Bracket::List)
                        || (wanted != Bracket::Brace && kind != Bracket::Brace)
                });
                // A word cannot close what lies outside the innermost braces.
                let brace = open.iter().rposition(|&(kind, _)| kind == Bracket::Brace);
                if let Some(from) = from.filter(|&f| wanted == Bracket::Brace || Some(f) > brace) {
                    for (_, opening) in open.drain(from..) {
                        structure.closing[opening as usize] = Some(index);
                    }
                }
                parentheses = 0;
            }
            if token.kind == TokenKind::Semi && !open.is_empty() {
                parentheses = 0;
            }
            structure.block.push(innermost(&open));
            structure.parentheses.push(parentheses);
            match token.kind {
                TokenKind::LParen | TokenKind::LBracket => parentheses += 1,
                TokenKind::RParen | TokenKind::RBracket => {
                    parentheses = parentheses.saturating_sub(1)
                }
                TokenKind::LBrace => open.push((structure.brace(index), index)),
                // Outside of all bodies these words open nothing.
                TokenKind::If if !open.is_empty() => open.push((Bracket::If, index)),
                TokenKind::Do if !open.is_empty() => open.push((Bracket::Do, index)),
                _ => continue,
            }
            if opens(token.kind) {
                parentheses = 0;
            }
        }
        structure.unclosed = open.iter().map(|&(_, index)| index).collect();
        structure
    }

    /// Whether an opening brace starts a block or a list.
    fn brace(&self, at: u32) -> Bracket {
        let before = |n: u32| at.checked_sub(n).map(|i| self.tokens[i as usize].kind);
        match (before(2), before(1)) {
            (_, Some(TokenKind::Assign | TokenKind::Of | TokenKind::Mtype)) => Bracket::List,
            (Some(TokenKind::Typedef), _) => Bracket::List,
            _ => Bracket::Brace,
        }
    }

    fn block_at(&self, at: u32) -> Option<u32> {
        match self.block.get(at as usize) {
            Some(&block) => block,
            // The end of the text lies in whatever is still open.
            None => self.unclosed.last().copied(),
        }
    }

    /// The block that an error at this token belongs to: before a closing bracket, the one that it closes.
    fn block_of_error(&self, at: u32) -> Option<u32> {
        let closed = |&o: &u32| self.closing[o as usize] == Some(at);
        let list = |o: u32| {
            self.tokens[o as usize].kind == TokenKind::LBrace && self.brace(o) == Bracket::List
        };
        match self.tokens.get(at as usize) {
            Some(token) if closes(token.kind).is_some() => {
                let opening = (0..at).rev().find(closed).filter(|&o| !list(o));
                opening.or(self.block_at(at))
            }
            _ => self.block_at(at),
        }
    }

    /// The parenthesis or square bracket before `at` in the same statement that is still open.
    pub(crate) fn open_parenthesis(&self, at: u32) -> Option<u32> {
        let start = self.extent(at).0;
        let mut closed = 0;
        (start..at)
            .rev()
            .find(|&i| match self.tokens[i as usize].kind {
                TokenKind::RParen | TokenKind::RBracket => {
                    closed += 1;
                    false
                }
                TokenKind::LParen | TokenKind::LBracket if closed == 0 => true,
                TokenKind::LParen | TokenKind::LBracket => {
                    closed -= 1;
                    false
                }
                _ => false,
            })
    }

    /// Whether `at` lies inside of a body.
    pub(crate) fn in_body(&self, at: u32) -> bool {
        self.block_at(at).is_some()
    }

    /// What is wrong with the brackets at the token where the parser stopped.
    pub(crate) fn fault(&self, at: u32) -> Option<Fault> {
        let Some(token) = self.tokens.get(at as usize) else {
            return self
                .unclosed
                .last()
                .map(|&opening| Fault::NotClosed(opening));
        };
        let opener = |index: u32| self.tokens[index as usize].kind;
        let closes_this = |o: u32| self.closing[o as usize] == Some(at);
        if closes(token.kind).is_some() {
            let mut openings = (0..at).rev().filter(|&o| closes_this(o));
            return match openings.next() {
                None => Some(Fault::ClosesNothing),
                Some(o) => match (opener(o), token.kind) {
                    (TokenKind::If | TokenKind::Do, TokenKind::RBrace) => Some(Fault::NotClosed(o)),
                    (TokenKind::If, TokenKind::Od) | (TokenKind::Do, TokenKind::Fi) => {
                        Some(Fault::WrongWord(o))
                    }
                    _ => None,
                },
            };
        }
        // A unit inside of a body, when braces are missing in the end.
        let block = self.block_at(at)?;
        let missing = self.unclosed.contains(&block);
        (starts_unit(token.kind) && missing).then_some(Fault::NotClosed(block))
    }

    /// The tokens of the statement or unit around the error.
    fn extent(&self, at: u32) -> (u32, u32) {
        match self.block_of_error(at) {
            Some(block) => self.statement(at, block),
            None => self.unit(at),
        }
    }

    /// The statement around the error in the block that was opened there: from one separator to the next.
    fn statement(&self, at: u32, block: u32) -> (u32, u32) {
        let separates = |&i: &u32| {
            let i = i as usize;
            self.block[i] == Some(block)
                && match self.tokens[i].kind {
                    TokenKind::Semi | TokenKind::DoubleColon => true,
                    TokenKind::Arrow => self.parentheses[i] == 0,
                    _ => false,
                }
        };
        let start = (block + 1..at).rev().find(separates);
        let closing = self.closing[block as usize].unwrap_or(self.tokens.len() as u32);
        let end = (at..closing).find(separates);
        (start.map_or(block + 1, |i| i + 1), end.unwrap_or(closing))
    }

    /// The unit around the error: from behind the last one to its semicolon, closing brace, or the next unit.
    fn unit(&self, at: u32) -> (u32, u32) {
        let ends = |&i: &u32| {
            let i = i as usize;
            let last = match self.tokens[i].kind {
                TokenKind::Semi => self.parentheses[i] == 0,
                TokenKind::RBrace => true,
                _ => false,
            };
            self.block[i].is_none() && last
        };
        let start = (0..at).rev().find(ends).map_or(0, |i| i + 1);
        let length = self.tokens.len() as u32;
        let next = (at + 1..length).find(|&i| {
            self.block[i as usize].is_none() && starts_unit(self.tokens[i as usize].kind)
        });
        let end = (at..next.unwrap_or(length)).find(ends).map(|i| i + 1);
        (start, end.or(next).unwrap_or(length))
    }

    /// The tokens with the error at `at` repaired.
    pub(crate) fn repaired(&self, at: u32) -> Vec<Token> {
        let mut tokens = self.tokens.to_vec();
        let place = self.tokens.get(at as usize).map_or(Span::NONE, |t| t.span);
        let token = |kind: TokenKind, span: Span| Token { kind, span };
        let word = |opening: u32| match self.tokens[opening as usize].kind {
            TokenKind::If => TokenKind::Fi,
            TokenKind::Do => TokenKind::Od,
            _ => TokenKind::RBrace,
        };
        match self.fault(at) {
            Some(Fault::NotClosed(opening)) => {
                let closers: Vec<Token> = match self.closing[opening as usize] {
                    // Its own closing word is missing, before one that is there.
                    Some(_) => vec![token(word(opening), place)],
                    None => {
                        let open = self.unclosed.iter().rev().filter(|&&o| o < at);
                        open.map(|&o| token(word(o), place)).collect()
                    }
                };
                tokens.splice(at as usize..at as usize, closers);
            }
            Some(Fault::WrongWord(opening)) => tokens[at as usize].kind = word(opening),
            Some(Fault::ClosesNothing) => {
                tokens.remove(at as usize);
            }
            None => {
                let (start, end) = self.extent(at);
                let range = start as usize..(end as usize).max(start as usize);
                let kind = |i: u32| self.tokens[i as usize].kind;
                let instead: &[TokenKind] = match self.block_of_error(at) {
                    None => &[],
                    Some(block) if kind(block) != TokenKind::LBrace && start == block + 1 => {
                        &[TokenKind::DoubleColon, TokenKind::Skip]
                    }
                    Some(_) => &[TokenKind::Skip],
                };
                tokens.splice(range, instead.iter().map(|&kind| token(kind, place)));
            }
        }
        tokens
    }
}

fn innermost(open: &[(Bracket, u32)]) -> Option<u32> {
    let block = open.iter().rev().find(|(kind, _)| *kind != Bracket::List);
    block.map(|&(_, index)| index)
}

fn opens(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::LBrace | TokenKind::If | TokenKind::Do)
}

fn closes(kind: TokenKind) -> Option<Bracket> {
    match kind {
        TokenKind::RBrace => Some(Bracket::Brace),
        TokenKind::Fi => Some(Bracket::If),
        TokenKind::Od => Some(Bracket::Do),
        _ => None,
    }
}

/// Whether such a token can only begin something outside of all bodies.
pub(crate) fn starts_unit(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Active | DProctype | Init | Ltl | Never | Notrace | Procedure | Proctype | Trace | Typedef
    )
}
