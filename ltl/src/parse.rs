//! Reading formulas.
//!
//! One grammar for the spellings of SPIN (`[] <> U W V X -> <-> && || !` and the words `always`,
//! `eventually`, `until`, …) and of Spot (`G F U W R M X & | xor ^ 1 0`, with `GFa` for `G F a`).
//! Atoms are words that do not begin with `G`, `F` or `X` and are not operators, or anything in
//! double quotes.
//!
//! From tight to loose: prefix operators; `U W R V M`; `&`; `|`; `xor`; `->`; `<->`. `U` and its
//! kin and `->` group to the left in SPIN and to the right in Spot; [`Dialect`] decides. (The
//! translator behind `spin -f` gives all boolean operators one level; we follow its `ltl` blocks
//! and everybody else.)
//!
//! The parser is an operator-precedence automaton with its own stacks, so nesting costs memory, not
//! call stack; formulas deeper than [`crate::formula::MAX_DEPTH`] are refused with a position.

use crate::formula::{Atoms, Formula, Formulas, MAX_DEPTH};
use std::fmt;

/// How binary temporal operators and implication associate.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// To the left: `p U q U r` is `(p U q) U r`.
    #[default]
    Spin,
    /// To the right: `p U q U r` is `p U (q U r)`.
    Spot,
}

/// Why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset of the offending token.
    pub at: usize,
    /// What is wrong there.
    pub message: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (at offset {})", self.message, self.at)
    }
}

impl std::error::Error for ParseError {}

/// Reads a formula in SPIN's dialect.
pub fn formula(
    formulas: &mut Formulas,
    atoms: &mut Atoms,
    text: &str,
) -> Result<Formula, ParseError> {
    formula_in(Dialect::Spin, formulas, atoms, text)
}

/// Reads a formula in the given dialect.
pub fn formula_in(
    dialect: Dialect,
    formulas: &mut Formulas,
    atoms: &mut Atoms,
    text: &str,
) -> Result<Formula, ParseError> {
    let tokens = lex(text)?;
    let parser = Parser {
        dialect,
        formulas,
        atoms,
        operands: Vec::new(),
        operators: Vec::new(),
    };
    parser.run(tokens, text.len())
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Prefix {
    Not,
    Next,
    Always,
    Eventually,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Infix {
    Until,
    WeakUntil,
    Release,
    StrongRelease,
    And,
    Or,
    Xor,
    Implies,
    Equiv,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Prefix(Prefix),
    Infix(Infix),
    Open,
    Close,
    Constant(bool),
    Atom(String),
}

/// Symbols, longest first where one begins another.
const SYMBOLS: &[(&str, Token)] = &[
    ("<->", Token::Infix(Infix::Equiv)),
    ("<=>", Token::Infix(Infix::Equiv)),
    ("->", Token::Infix(Infix::Implies)),
    ("=>", Token::Infix(Infix::Implies)),
    ("[]", Token::Prefix(Prefix::Always)),
    ("<>", Token::Prefix(Prefix::Eventually)),
    ("&&", Token::Infix(Infix::And)),
    ("||", Token::Infix(Infix::Or)),
    ("/\\", Token::Infix(Infix::And)),
    ("\\/", Token::Infix(Infix::Or)),
    ("&", Token::Infix(Infix::And)),
    ("|", Token::Infix(Infix::Or)),
    ("^", Token::Infix(Infix::Xor)),
    ("!", Token::Prefix(Prefix::Not)),
    ("~", Token::Prefix(Prefix::Not)),
    ("(", Token::Open),
    (")", Token::Close),
];

/// Words that are not atoms.
const WORDS: &[(&str, Token)] = &[
    ("true", Token::Constant(true)),
    ("false", Token::Constant(false)),
    ("1", Token::Constant(true)),
    ("0", Token::Constant(false)),
    ("U", Token::Infix(Infix::Until)),
    ("W", Token::Infix(Infix::WeakUntil)),
    ("R", Token::Infix(Infix::Release)),
    ("V", Token::Infix(Infix::Release)),
    ("M", Token::Infix(Infix::StrongRelease)),
    ("xor", Token::Infix(Infix::Xor)),
    ("not", Token::Prefix(Prefix::Not)),
    ("next", Token::Prefix(Prefix::Next)),
    ("always", Token::Prefix(Prefix::Always)),
    ("eventually", Token::Prefix(Prefix::Eventually)),
    ("until", Token::Infix(Infix::Until)),
    ("stronguntil", Token::Infix(Infix::Until)),
    ("weakuntil", Token::Infix(Infix::WeakUntil)),
    ("release", Token::Infix(Infix::Release)),
    ("implies", Token::Infix(Infix::Implies)),
    ("equivalent", Token::Infix(Infix::Equiv)),
];

/// Whether a word is an operator or a constant rather than an atom.
pub(crate) fn is_reserved(word: &str) -> bool {
    WORDS.iter().any(|(text, _)| *text == word)
}

fn lex(text: &str) -> Result<Vec<(usize, Token)>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if let Some((symbol, token)) = SYMBOLS.iter().find(|(s, _)| rest.starts_with(s)) {
            tokens.push((at, token.clone()));
            at += symbol.len();
        } else if first == '"' {
            let (name, length) = quoted_name(rest).ok_or(ParseError {
                at,
                message: "this quote is never closed",
            })?;
            tokens.push((at, Token::Atom(name)));
            at += length;
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            lex_word(at, &rest[..end], &mut tokens)?;
            at += end;
        } else {
            let message = "no operator or atom begins like this";
            return Err(ParseError { at, message });
        }
    }
    Ok(tokens)
}

/// The text between quotes, with `\"` and `\\` resolved, and how many bytes it took.
fn quoted_name(text: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut chars = text.char_indices().skip(1);
    loop {
        match chars.next()? {
            (end, '"') => return Some((name, end + 1)),
            (_, '\\') => name.push(chars.next()?.1),
            (_, c) => name.push(c),
        }
    }
}

/// A word, after peeling off leading `G`, `F` and `X` as Spot does.
fn lex_word(
    mut at: usize,
    mut word: &str,
    tokens: &mut Vec<(usize, Token)>,
) -> Result<(), ParseError> {
    while !word.is_empty() {
        if let Some((_, token)) = WORDS.iter().find(|(text, _)| *text == word) {
            tokens.push((at, token.clone()));
            return Ok(());
        }
        let prefix = match word.as_bytes()[0] {
            b'G' => Prefix::Always,
            b'F' => Prefix::Eventually,
            b'X' => Prefix::Next,
            b'0'..=b'9' => {
                let message = "a number other than 0 and 1 is no formula";
                return Err(ParseError { at, message });
            }
            _ => {
                tokens.push((at, Token::Atom(word.to_owned())));
                return Ok(());
            }
        };
        tokens.push((at, Token::Prefix(prefix)));
        (at, word) = (at + 1, &word[1..]);
    }
    Ok(())
}

enum Operand {
    Formula(Formula),
    /// A chain of `&` (or of `|`) that may still grow, so that long chains are one node.
    Chain(Infix, Vec<Formula>),
}

#[derive(Copy, Clone)]
enum Operator {
    Prefix(Prefix),
    Infix(Infix),
    Open,
}

struct Parser<'a> {
    dialect: Dialect,
    formulas: &'a mut Formulas,
    atoms: &'a mut Atoms,
    operands: Vec<Operand>,
    /// Operators whose right operand is not complete, with their positions.
    operators: Vec<(usize, Operator)>,
}

impl Infix {
    /// How tightly the operator binds.
    fn level(self) -> u8 {
        match self {
            Infix::Until | Infix::WeakUntil | Infix::Release | Infix::StrongRelease => 5,
            Infix::And => 4,
            Infix::Or => 3,
            Infix::Xor => 2,
            Infix::Implies => 1,
            Infix::Equiv => 0,
        }
    }

    fn groups_right(self, dialect: Dialect) -> bool {
        dialect == Dialect::Spot && matches!(self.level(), 1 | 5)
    }
}

impl Parser<'_> {
    fn run(mut self, tokens: Vec<(usize, Token)>, end: usize) -> Result<Formula, ParseError> {
        let error = |at, message| Err(ParseError { at, message });
        let mut wants_operand = true;
        for (at, token) in tokens {
            match token {
                Token::Infix(_) | Token::Close if wants_operand => {
                    return error(at, "an operand is missing before this");
                }
                Token::Infix(infix) => {
                    self.reduce(infix.level(), infix.groups_right(self.dialect))?;
                    self.operators.push((at, Operator::Infix(infix)));
                    wants_operand = true;
                }
                Token::Close => {
                    self.reduce(0, false)?;
                    match self.operators.pop() {
                        Some((_, Operator::Open)) => {}
                        _ => return error(at, "this parenthesis was never opened"),
                    }
                }
                _ if !wants_operand => return error(at, "an operator is missing before this"),
                Token::Open => self.operators.push((at, Operator::Open)),
                Token::Prefix(prefix) => self.operators.push((at, Operator::Prefix(prefix))),
                Token::Constant(value) => {
                    let f = match value {
                        true => self.formulas.true_(),
                        false => self.formulas.false_(),
                    };
                    self.operands.push(Operand::Formula(f));
                    wants_operand = false;
                }
                Token::Atom(name) => {
                    let atom = self.atoms.intern(&name);
                    let f = self.formulas.atom(atom);
                    self.operands.push(Operand::Formula(f));
                    wants_operand = false;
                }
            }
        }
        if wants_operand {
            return error(end, "an operand is missing at the end");
        }
        self.reduce(0, false)?;
        if let Some((at, _)) = self.operators.pop() {
            return error(at, "this parenthesis is never closed");
        }
        self.pop(end)
    }

    /// Applies the pending operators that bind tighter than `level`, or as tight unless such
    /// operators group to the right.
    fn reduce(&mut self, level: u8, groups_right: bool) -> Result<(), ParseError> {
        while let Some(&(at, operator)) = self.operators.last() {
            match operator {
                Operator::Open => break,
                Operator::Infix(infix) if infix.level() < level => break,
                Operator::Infix(infix) if infix.level() == level && groups_right => break,
                Operator::Infix(infix) => self.apply_infix(infix, at)?,
                Operator::Prefix(prefix) => self.apply_prefix(prefix, at)?,
            }
            self.operators.pop();
        }
        Ok(())
    }

    fn apply_prefix(&mut self, prefix: Prefix, at: usize) -> Result<(), ParseError> {
        let f = self.pop(at)?;
        let made = match prefix {
            Prefix::Not => self.formulas.not(f),
            Prefix::Next => self.formulas.next(f),
            Prefix::Always => self.formulas.always(f),
            Prefix::Eventually => self.formulas.eventually(f),
        };
        self.push(made, at)
    }

    fn apply_infix(&mut self, infix: Infix, at: usize) -> Result<(), ParseError> {
        let right = self.pop(at)?;
        if matches!(infix, Infix::And | Infix::Or) {
            if let Some(Operand::Chain(same, chain)) = self.operands.last_mut()
                && *same == infix
            {
                chain.push(right);
                return Ok(());
            }
            let left = self.pop(at)?;
            self.operands.push(Operand::Chain(infix, vec![left, right]));
            return Ok(());
        }
        let left = self.pop(at)?;
        let made = match infix {
            Infix::Until => self.formulas.until(left, right),
            Infix::WeakUntil => self.formulas.weak_until(left, right),
            Infix::Release => self.formulas.release(left, right),
            Infix::StrongRelease => self.formulas.strong_release(left, right),
            Infix::Xor => self.formulas.xor(left, right),
            Infix::Implies => self.formulas.implies(left, right),
            Infix::Equiv => self.formulas.equiv(left, right),
            Infix::And => self.formulas.and(left, right),
            Infix::Or => self.formulas.or(left, right),
        };
        self.push(made, at)
    }

    fn push(&mut self, f: Formula, at: usize) -> Result<(), ParseError> {
        if self.formulas.depth(f) > MAX_DEPTH {
            let message = "the formula is nested too deeply here";
            return Err(ParseError { at, message });
        }
        self.operands.push(Operand::Formula(f));
        Ok(())
    }

    fn pop(&mut self, at: usize) -> Result<Formula, ParseError> {
        match self.operands.pop() {
            Some(Operand::Formula(f)) => Ok(f),
            Some(Operand::Chain(Infix::And, fs)) => Ok(self.formulas.and_all(fs)),
            Some(Operand::Chain(_, fs)) => Ok(self.formulas.or_all(fs)),
            None => Err(ParseError {
                at,
                message: "an operand is missing here",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dialect: Dialect, text: &str, expected: &str) {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let f = formula_in(dialect, &mut formulas, &mut atoms, text);
        let f = f.unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(formulas.to_text(f, &atoms), expected, "{text}");
        let again = formula_in(dialect, &mut formulas, &mut atoms, expected).unwrap();
        assert_eq!(again, f, "{expected} does not read back");
    }

    #[test]
    fn spellings_of_both_tools_are_read() {
        let cases = [
            ("[] <> p", "GFp"),
            ("GFp0", "GFp0"),
            ("always (p implies eventually q)", "G(p -> Fq)"),
            ("p stronguntil q", "p U q"),
            ("p weakuntil q", "p W q"),
            ("p V q", "p R q"),
            ("p release q", "p R q"),
            ("p equivalent next q", "p <-> X q"),
            ("p M q", "p M q"),
            ("p & q && r", "p & q & r"),
            ("p /\\ q \\/ r", "r | (p & q)"),
            ("p ^ q", "p xor q"),
            ("1 U 0", "1 U 0"),
            ("true U false", "1 U 0"),
            ("!p U q", "!p U q"),
            ("p -> q || r && s", "p -> (q | (r & s))"),
            ("p <-> q -> r", "p <-> (q -> r)"),
            ("\"x > 1\" U \"P@L\"", "\"x > 1\" U \"P@L\""),
        ];
        for (text, expected) in cases {
            check(Dialect::Spin, text, expected);
        }
    }

    #[test]
    fn dialects_differ_in_grouping_only() {
        check(Dialect::Spin, "p U q U r", "(p U q) U r");
        check(Dialect::Spot, "p U q U r", "p U (q U r)");
        check(Dialect::Spin, "p -> q -> r", "(p -> q) -> r");
        check(Dialect::Spot, "p -> q -> r", "p -> (q -> r)");
        check(Dialect::Spot, "p W q & r", "(p W q) & r");
    }

    #[test]
    fn errors_have_positions() {
        let cases = [
            ("", 0),
            ("p U", 3),
            ("p q", 2),
            ("(p", 0),
            ("p)", 1),
            ("p && || q", 5),
            ("\"p", 0),
            ("p # q", 2),
            ("p && 17", 5),
            ("é", 0),
        ];
        for (text, at) in cases {
            let result = formula(&mut Formulas::new(), &mut Atoms::new(), text);
            assert_eq!(result.unwrap_err().at, at, "{text}");
        }
    }

    #[test]
    fn nesting_is_refused_and_chains_are_not() {
        let deep = |open: &str, close: &str| {
            let text = format!("{}p{}", open.repeat(100_000), close.repeat(100_000));
            formula(&mut Formulas::new(), &mut Atoms::new(), &text)
        };
        assert_eq!(deep("!", "").unwrap_err().at, 100_000 - MAX_DEPTH as usize);
        assert!(deep("(q U ", ")").is_err());
        assert!(deep("[]<>X", "").is_err());
        assert!(deep("(", ")").is_ok());
        assert!(deep("", " && q").is_ok());
        assert!(deep("", " U q").is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[pqGFXUWRM01!&|()<>\\[\\]\" \\-é]{0,40}") {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            if let Ok(f) = formula(&mut formulas, &mut atoms, &text) {
                let printed = formulas.to_text(f, &atoms);
                let again = formula(&mut formulas, &mut atoms, &printed);
                proptest::prop_assert_eq!(again, Ok(f));
            }
        }
    }
}
