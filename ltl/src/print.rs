//! Formulas as text.
//!
//! Two spellings of one explicit syntax: every operand that is not a leaf or a prefix operator is
//! parenthesised, so that no reader depends on precedence, about which tools disagree. The work
//! list is explicit, so that deep formulas cost no call stack.

use crate::formula::{Atoms, Formula, Formulas, Node};

/// The operator spellings of one tool.
struct Spelling {
    true_: &'static str,
    false_: &'static str,
    and: &'static str,
    or: &'static str,
    always: &'static str,
    eventually: &'static str,
    release: &'static str,
    atom: fn(&str) -> String,
}

const SPOT: Spelling = Spelling {
    true_: "1",
    false_: "0",
    and: " & ",
    or: " | ",
    always: "G",
    eventually: "F",
    release: " R ",
    atom: quoted,
};

const SPIN: Spelling = Spelling {
    true_: "true",
    false_: "false",
    and: " && ",
    or: " || ",
    always: "[] ",
    eventually: "<> ",
    release: " V ",
    atom: str::to_owned,
};

/// The name itself if it is a word that no operator can be mistaken for, else the name in quotes.
pub(crate) fn quoted(name: &str) -> String {
    let mut chars = name.chars();
    let plain = chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !crate::parse::is_reserved(name);
    match plain {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

/// What remains to be written.
enum Piece {
    Text(&'static str),
    /// An operand, to be parenthesised unless it is a leaf or begins with a prefix operator.
    Operand(Formula),
    Bare(Formula),
}

impl Formulas {
    /// `f` in Spot's syntax, which [`crate::parse`] reads back; odd atom names are quoted.
    pub fn to_text(&self, f: Formula, atoms: &Atoms) -> String {
        self.write(f, &SPOT, atoms)
    }

    /// `f` in SPIN's syntax, atoms as they are named. `xor`, `W` and `M`, which `spin -f` does not
    /// read, are written by their definitions.
    pub fn to_spin(&self, f: Formula, atoms: &Atoms) -> String {
        self.write(f, &SPIN, atoms)
    }

    fn write(&self, f: Formula, spelling: &Spelling, atoms: &Atoms) -> String {
        let mut out = String::new();
        let mut work = vec![Piece::Bare(f)];
        while let Some(piece) = work.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Operand(g) if self.is_tight(g) => work.push(Piece::Bare(g)),
                Piece::Operand(g) => {
                    work.extend([Piece::Text(")"), Piece::Bare(g), Piece::Text("(")]);
                }
                Piece::Bare(g) => {
                    if let Node::Atom(a) = self.node(g) {
                        out.push_str(&(spelling.atom)(&atoms.name(*a)));
                    }
                    work.extend(self.pieces(g, spelling).into_iter().rev());
                }
            }
        }
        out
    }

    fn is_tight(&self, f: Formula) -> bool {
        use Node::*;
        let node = self.node(f);
        matches!(
            node,
            True | False | Atom(_) | Not(_) | Next(_) | Always(_) | Eventually(_)
        )
    }

    fn pieces(&self, f: Formula, spelling: &Spelling) -> Vec<Piece> {
        use Piece::{Operand, Text};
        let infix = |operands: &[Formula], text| {
            let mut pieces = Vec::new();
            for g in operands {
                pieces.extend([Text(text), Operand(*g)]);
            }
            pieces.split_off(1)
        };
        let spin = spelling.and == SPIN.and;
        match self.node(f) {
            Node::True => vec![Text(spelling.true_)],
            Node::False => vec![Text(spelling.false_)],
            Node::Atom(_) => Vec::new(),
            Node::Not(g) => vec![Text("!"), Operand(*g)],
            Node::Next(g) => vec![Text("X "), Operand(*g)],
            Node::Always(g) => vec![Text(spelling.always), Operand(*g)],
            Node::Eventually(g) => vec![Text(spelling.eventually), Operand(*g)],
            Node::And(gs) => infix(gs, spelling.and),
            Node::Or(gs) => infix(gs, spelling.or),
            Node::Implies(g, h) => infix(&[*g, *h], " -> "),
            Node::Equiv(g, h) => infix(&[*g, *h], " <-> "),
            Node::Until(g, h) => infix(&[*g, *h], " U "),
            Node::WeakUntil(g, h) if spin => {
                let mut pieces = vec![Text("[]"), Operand(*g), Text(" || (")];
                pieces.extend(infix(&[*g, *h], " U "));
                pieces.push(Text(")"));
                pieces
            }
            Node::WeakUntil(g, h) => infix(&[*g, *h], " W "),
            Node::Release(g, h) => infix(&[*g, *h], spelling.release),
            Node::Xor(g, h) if spin => {
                let mut pieces = vec![Text("!(")];
                pieces.extend(infix(&[*g, *h], " <-> "));
                pieces.push(Text(")"));
                pieces
            }
            Node::Xor(g, h) => infix(&[*g, *h], " xor "),
            Node::StrongRelease(g, h) if spin => {
                let mut pieces = vec![Operand(*h), Text(" U (")];
                pieces.extend(infix(&[*g, *h], " && "));
                pieces.push(Text(")"));
                pieces
            }
            Node::StrongRelease(g, h) => infix(&[*g, *h], " M "),
        }
    }
}
