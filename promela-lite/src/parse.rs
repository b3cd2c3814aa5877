//! From tokens to the syntax tree: runs the generated parser, again after errors, and bounds depth.
//!
//! The parser stops at a syntax error; the text is then repaired around it and parsed again, so that one run reports
//! several errors ([`crate::repair`]). Nesting is bounded twice: brackets before parsing, operator chains while the
//! tree is built; what follows may then recurse.

use crate::ast::*;
use crate::codes::Code;
use crate::compile::STACK;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::repair::Structure;
use crate::source::Span;
use crate::symbol::Interner;
use crate::syntax_error::SyntaxError;
use crate::token::{Token, TokenKind};
use crate::tokenize::TokenStream;
use lalrpop_util::{ParseError, lalrpop_mod};

lalrpop_mod!(
    #[allow(
        clippy::all,
        missing_docs,
        unreachable_pub,
        unused_qualifications,
        dead_code,
        unused_imports
    )]
    grammar
);

/// Nested brackets, `if`s and `do`s that are accepted.
pub const MAX_NESTING: u32 = 2_000;
/// Nested operators that are accepted in one expression.
pub const MAX_DEPTH: u32 = 20_000;

/// The bound on levels where there is less stack than there should be: each takes its part.
fn levels(most: u32) -> u32 {
    let stack = stacker::remaining_stack().unwrap_or(STACK);
    match stack < STACK / 8 * 7 {
        true => (u64::from(most) * stack as u64 / STACK as u64) as u32,
        false => most,
    }
}

/// Syntax errors that are looked for in one run.
const MAX_ERRORS: usize = 25;
/// Tokens that are parsed again after repairs: garbage of many megabytes is not worth the time.
const MAX_REPAIRED_TOKENS: usize = 2_000_000;

/// What the grammar's actions build with.
pub struct Tree<'a> {
    tokens: &'a [Token],
    end: Span,
    diagnostics: &'a mut Diagnostics,
    max_depth: u32,
}

impl Tree<'_> {
    /// The text from token `l` up to, not including, token `r`.
    pub(crate) fn span(&self, l: u32, r: u32) -> Span {
        let first = self.tokens.get(l as usize).map_or(self.end, |t| t.span);
        match (r as usize).checked_sub(1) {
            Some(last) if r > l => first.to(self.tokens.get(last).map_or(self.end, |t| t.span)),
            _ => first,
        }
    }

    pub(crate) fn stmt(&self, l: u32, r: u32, kind: StmtKind) -> Box<Stmt> {
        Box::new(Stmt {
            labels: Vec::new(),
            kind,
            span: self.span(l, r),
        })
    }

    pub(crate) fn expr(&mut self, l: u32, r: u32, depth: u32, kind: ExprKind) -> Expr {
        let span = self.span(l, r);
        if depth > self.max_depth {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::TooDeep,
                    span,
                    "this expression nests too many operators",
                )
                .label(format!("more than {} levels", self.max_depth))
                .help("split it: assign parts of it to variables"),
            );
            return Expr {
                kind: Box::new(ExprKind::Error),
                span,
                depth: 1,
            };
        }
        Expr {
            kind: Box::new(kind),
            span,
            depth,
        }
    }

    fn binary(&mut self, op: Binary, (l, a, _): Operand, (_, b, r): Operand) -> Operand {
        let depth = a.depth.max(b.depth) + 1;
        (l, self.expr(l, r, depth, ExprKind::Binary(op, a, b)), r)
    }

    pub(crate) fn unary(&mut self, l: u32, r: u32, op: Unary, e: Expr) -> Expr {
        // A literal with its sign is one constant: `-1` is written where constants are wanted.
        if let (Unary::Neg, ExprKind::Number(n)) = (op, &*e.kind) {
            let value = n.wrapping_neg();
            return self.expr(l, r, 1, ExprKind::Number(value));
        }
        let depth = e.depth + 1;
        self.expr(l, r, depth, ExprKind::Unary(op, e))
    }

    pub(crate) fn path_depth(&self, var: &VarRef) -> u32 {
        let deepest = var
            .path
            .iter()
            .filter_map(|s| s.index.as_ref())
            .map(|e| e.depth)
            .max();
        1 + deepest.unwrap_or(0)
    }
}

/// An expression, with the tokens from which and up to which it stands.
type Operand = (u32, Expr, u32);

/// Operands with operators between them, as far as they are read: Dijkstra's shunting yard. What waits on the left has
/// operators that bind tighter from left to right; all operators associate to the left.
pub(crate) struct Chain {
    waiting: Vec<(Operand, Binary)>,
    last: Operand,
}

impl Chain {
    pub(crate) fn new(first: Operand, op: Binary, last: Operand) -> Chain {
        Chain {
            waiting: vec![(first, op)],
            last,
        }
    }

    /// Adds an operator and what stands to its right.
    pub(crate) fn push(&mut self, tree: &mut Tree<'_>, op: Binary, operand: Operand) {
        let left = std::mem::replace(&mut self.last, operand);
        let left = join(tree, &mut self.waiting, left, precedence(op));
        self.waiting.push((left, op));
    }

    /// The whole as an expression.
    pub(crate) fn finish(mut self, tree: &mut Tree<'_>) -> Expr {
        join(tree, &mut self.waiting, self.last, 0).1
    }
}

/// Joins `right` with what waits for it behind operators that bind at least as tightly as `level`.
fn join(
    tree: &mut Tree<'_>,
    waiting: &mut Vec<(Operand, Binary)>,
    mut right: Operand,
    level: u8,
) -> Operand {
    while let Some((left, op)) = waiting.pop_if(|(_, op)| precedence(*op) >= level) {
        right = tree.binary(op, left, right);
    }
    right
}

/// How tightly an operator binds, as in SPIN's grammar.
fn precedence(op: Binary) -> u8 {
    match op {
        Binary::Implies | Binary::Equiv => 1,
        Binary::Or => 2,
        Binary::And => 3,
        Binary::Until | Binary::WeakUntil | Binary::Release => 4,
        Binary::BitOr => 5,
        Binary::BitXor => 6,
        Binary::BitAnd => 7,
        Binary::Eq | Binary::Ne => 8,
        Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge => 9,
        Binary::Shl | Binary::Shr => 10,
        Binary::Add | Binary::Sub => 11,
        Binary::Mul | Binary::Div | Binary::Rem => 12,
    }
}

/// Parses a whole model. After an error the text is repaired and parsed again, to find more of them.
pub fn parse(
    stream: &TokenStream,
    symbols: &Interner,
    diagnostics: &mut Diagnostics,
) -> Option<Spec> {
    run(stream, symbols, diagnostics, MAX_ERRORS, |tree, tokens| {
        grammar::SpecParser::new().parse(tree, tokens)
    })
}

/// Parses a formula that stands alone.
pub fn parse_formula(
    stream: &TokenStream,
    symbols: &Interner,
    diagnostics: &mut Diagnostics,
) -> Option<Expr> {
    run(stream, symbols, diagnostics, 1, |tree, tokens| {
        grammar::FormulaParser::new().parse(tree, tokens)
    })
}

type Spanned = Result<(u32, TokenKind, u32), ()>;

fn run<T>(
    stream: &TokenStream,
    symbols: &Interner,
    diagnostics: &mut Diagnostics,
    errors: usize,
    parser: impl Fn(
        &mut Tree<'_>,
        &mut dyn Iterator<Item = Spanned>,
    ) -> Result<T, ParseError<u32, TokenKind, ()>>,
) -> Option<T> {
    if !nesting_is_bounded(&stream.tokens, diagnostics) {
        return None;
    }
    let mut repaired: Option<Vec<Token>> = None;
    let attempts = errors.min(1 + MAX_REPAIRED_TOKENS / (stream.tokens.len() + 1));
    for _ in 0..attempts {
        let tokens = repaired.as_deref().unwrap_or(&stream.tokens);
        let mut tree = Tree {
            tokens,
            end: stream.end,
            diagnostics,
            max_depth: levels(MAX_DEPTH),
        };
        let mut numbered = tokens
            .iter()
            .enumerate()
            .map(|(i, t)| Ok((i as u32, t.kind, i as u32 + 1)));
        let (at, expected) = match parser(&mut tree, &mut numbered) {
            // What was parsed after a repair is not what was written.
            Ok(value) => return repaired.is_none().then_some(value),
            Err(ParseError::UnrecognizedToken {
                token: (at, ..),
                expected,
            }) => (at, expected),
            Err(ParseError::ExtraToken { token: (at, ..) }) => (at, Vec::new()),
            Err(ParseError::UnrecognizedEof { expected, .. }) => (tokens.len() as u32, expected),
            Err(ParseError::InvalidToken { location }) => (location, Vec::new()),
            Err(ParseError::User { .. }) => (tokens.len() as u32, Vec::new()),
        };
        let structure = Structure::new(tokens);
        let error = SyntaxError {
            tokens,
            at,
            expected: &expected,
            end: stream.end,
            symbols,
        };
        let (diagnostic, correction) = error.explain(&structure);
        // What the lexer could not read has been reported already.
        if !diagnostics.has_error_at(diagnostic.primary.span) {
            diagnostics.push(diagnostic);
        }
        repaired = Some(match correction {
            Some(correction) => {
                let mut tokens = tokens.to_vec();
                tokens[correction.at as usize].kind = correction.kind;
                tokens
            }
            None => structure.repaired(at),
        });
    }
    None
}

fn nesting_is_bounded(tokens: &[Token], diagnostics: &mut Diagnostics) -> bool {
    use TokenKind::*;
    let max_nesting = levels(MAX_NESTING);
    let mut depth = 0u32;
    for token in tokens {
        match token.kind {
            LParen | LBracket | LBrace | If | Do => depth += 1,
            RParen | RBracket | RBrace | Fi | Od => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max_nesting {
            diagnostics.push(
                Diagnostic::error(Code::TooDeep, token.span, "brackets are nested too deeply")
                    .label(format!("more than {max_nesting} levels")),
            );
            return false;
        }
    }
    true
}
