//! Reading the Hanoi format.

use super::lex::{Token, lex};
use crate::bdd::{ATOMS, Bdd, Bdds};
use crate::buchi::Buchi;
use crate::degeneralize::degeneralize;
use crate::formula::{Atom, Atoms};
use crate::tgba::{Edge, Marks, Tgba};
use rustc_hash::FxHashMap;
use std::fmt;

/// Why a text is not an automaton that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaError {
    /// Byte offset of the offending token.
    pub at: usize,
    /// What is wrong there.
    pub message: &'static str,
}

impl fmt::Display for HoaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (at offset {})", self.message, self.at)
    }
}

impl std::error::Error for HoaError {}

/// The largest number of states that will be read, so that a few digits cannot exhaust memory.
const MAX_STATES: u32 = 1 << 20;

/// The deepest nesting of a label.
const MAX_DEPTH: u32 = 500;

/// Reads an automaton; its propositions are found or made by name in `atoms`.
pub fn read(text: &str, atoms: &mut Atoms) -> Result<Buchi, HoaError> {
    let tokens = lex(text)?;
    let mut reader = Reader {
        tokens,
        end: text.len(),
        next: 0,
        atoms,
        bdds: Bdds::new(),
        propositions: Vec::new(),
        aliases: FxHashMap::default(),
        marks: None,
        automaton: Tgba {
            all: 0,
            initial: Vec::new(),
            edges: Vec::new(),
        },
        states: None,
    };
    reader.header()?;
    reader.body()?;
    reader.finish()
}

struct Reader<'a> {
    tokens: Vec<(usize, Token)>,
    end: usize,
    next: usize,
    atoms: &'a mut Atoms,
    bdds: Bdds,
    /// The atom of each proposition of the file.
    propositions: Vec<Atom>,
    aliases: FxHashMap<String, Bdd>,
    /// The marks to be seen infinitely often; `None` where nothing is accepted.
    marks: Option<Marks>,
    automaton: Tgba,
    /// The declared number of states.
    states: Option<u32>,
}

type Result<T, E = HoaError> = std::result::Result<T, E>;

impl Reader<'_> {
    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |t| t.0)
    }

    fn error<T>(&self, message: &'static str) -> Result<T> {
        let at = self.at();
        Err(HoaError { at, message })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|t| &t.1)
    }

    fn take(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.next += 1;
        token
    }

    fn eat(&mut self, sign: char) -> bool {
        let here = self.peek() == Some(&Token::Sign(sign));
        self.next += usize::from(here);
        here
    }

    fn expect(&mut self, sign: char, message: &'static str) -> Result<()> {
        match self.eat(sign) {
            true => Ok(()),
            false => self.error(message),
        }
    }

    fn number(&mut self, message: &'static str) -> Result<u32> {
        match self.peek() {
            Some(&Token::Number(n)) => {
                self.next += 1;
                Ok(n)
            }
            _ => self.error(message),
        }
    }

    fn header(&mut self) -> Result<()> {
        if self.take() != Some(Token::Item("HOA".into()))
            || self.take() != Some(Token::Word("v1".into()))
        {
            self.next = 0;
            return self.error("a file of version 1 begins with HOA: v1");
        }
        let mut acceptance = false;
        while let Some(Token::Item(item)) = self.peek().cloned() {
            self.next += 1;
            match item.as_str() {
                "States" => {
                    let states = self.number("a number of states is expected")?;
                    if states > MAX_STATES {
                        return self.error("there are too many states");
                    }
                    self.states = Some(states);
                }
                "Start" => {
                    let state = self.number("an initial state is expected")?;
                    if self.peek() == Some(&Token::Sign('&')) {
                        return self.error("alternating automata are not supported");
                    }
                    self.touch(state)?;
                    self.automaton.initial.push(state as usize);
                }
                "AP" => self.propositions()?,
                "Alias" => self.alias()?,
                "Acceptance" => {
                    self.acceptance()?;
                    acceptance = true;
                }
                _ if item.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    return self.error("this header item is not known, and may not be ignored");
                }
                _ => {}
            }
            while !matches!(self.peek(), Some(Token::Item(_) | Token::Body) | None) {
                self.next += 1;
            }
        }
        match self.take() {
            Some(Token::Body) if acceptance => Ok(()),
            Some(Token::Body) => self.error("the header has no Acceptance"),
            _ => self.error("a header item or --BODY-- is expected"),
        }
    }

    fn propositions(&mut self) -> Result<()> {
        let count = self.number("a number of propositions is expected")?;
        for _ in 0..count {
            let Some(Token::Text(name)) = self.peek().cloned() else {
                return self.error("the name of a proposition is expected");
            };
            let atom = self.atoms.intern(&name);
            if atom.0 >= ATOMS {
                return self.error("there are more than 64 propositions");
            }
            self.propositions.push(atom);
            self.next += 1;
        }
        Ok(())
    }

    fn alias(&mut self) -> Result<()> {
        let Some(Token::Alias(name)) = self.take() else {
            self.next -= 1;
            return self.error("the name of an alias is expected");
        };
        let label = self.label(0)?;
        self.aliases.insert(name, label);
        Ok(())
    }

    /// `n` and a conjunction of `Inf(i)`, or `t`, or `f`.
    fn acceptance(&mut self) -> Result<()> {
        const OTHER: &str = "only Büchi and generalised Büchi acceptance is supported";
        self.number("a number of acceptance sets is expected")?;
        let mut marks = 0;
        let mut open = 0;
        loop {
            match self.take() {
                Some(Token::Sign('(')) => {
                    open += 1;
                    continue;
                }
                Some(Token::Word(word)) if word == "t" => {}
                Some(Token::Word(word)) if word == "f" => {
                    self.marks = None;
                    return Ok(());
                }
                Some(Token::Word(word)) if word == "Inf" => {
                    self.expect('(', OTHER)?;
                    let set = self.number(OTHER)?;
                    self.expect(')', OTHER)?;
                    if set >= 64 {
                        return self.error("there are more than 64 acceptance sets");
                    }
                    marks |= 1 << set;
                }
                _ => {
                    self.next -= 1;
                    return self.error(OTHER);
                }
            }
            while open > 0 && self.eat(')') {
                open -= 1;
            }
            if !self.eat('&') {
                break;
            }
        }
        self.marks = Some(marks);
        match self.peek() {
            Some(Token::Sign(_)) => self.error(OTHER),
            _ => Ok(()),
        }
    }

    /// A label: disjunctions of conjunctions of literals, with parentheses.
    fn label(&mut self, depth: u32) -> Result<Bdd> {
        if depth > MAX_DEPTH {
            return self.error("the label is nested too deeply");
        }
        let mut sum = self.conjunction(depth)?;
        while self.eat('|') {
            let more = self.conjunction(depth)?;
            sum = self.bdds.or(sum, more);
        }
        Ok(sum)
    }

    fn conjunction(&mut self, depth: u32) -> Result<Bdd> {
        let mut product = self.literal(depth)?;
        while self.eat('&') {
            let more = self.literal(depth)?;
            product = self.bdds.and(product, more);
        }
        Ok(product)
    }

    fn literal(&mut self, depth: u32) -> Result<Bdd> {
        let mut negated = false;
        while self.eat('!') {
            negated = !negated;
        }
        let label = match self.peek().cloned() {
            Some(Token::Word(word)) if word == "t" => Some(Bdd::TRUE),
            Some(Token::Word(word)) if word == "f" => Some(Bdd::FALSE),
            Some(Token::Number(n)) => {
                let atom = self.propositions.get(n as usize);
                atom.map(|a| self.bdds.var(a.0))
            }
            Some(Token::Alias(name)) => self.aliases.get(&name).copied(),
            Some(Token::Sign('(')) => {
                self.next += 1;
                let inner = self.label(depth + 1)?;
                match self.peek() {
                    Some(Token::Sign(')')) => Some(inner),
                    _ => return self.error("a closing parenthesis is expected"),
                }
            }
            _ => None,
        };
        let Some(label) = label else {
            return self.error("a proposition or a known alias is expected");
        };
        self.next += 1;
        Ok(match negated {
            true => self.bdds.not(label),
            false => label,
        })
    }

    /// Makes room for a state.
    fn touch(&mut self, state: u32) -> Result<()> {
        if state >= self.states.unwrap_or(MAX_STATES) {
            self.next -= 1;
            return self.error("this state is out of range");
        }
        let needed = state as usize + 1;
        if self.automaton.edges.len() < needed {
            self.automaton.edges.resize(needed, Vec::new());
        }
        Ok(())
    }

    fn bracketed_label(&mut self) -> Result<Option<Bdd>> {
        if !self.eat('[') {
            return Ok(None);
        }
        let label = self.label(0)?;
        self.expect(']', "a closing bracket is expected")?;
        Ok(Some(label))
    }

    fn marks(&mut self) -> Result<Marks> {
        let mut marks = 0;
        if self.eat('{') {
            while !self.eat('}') {
                match self.number("an acceptance set is expected")? {
                    set @ 0..64 => marks |= 1 << set,
                    _ => return self.error("there are more than 64 acceptance sets"),
                }
            }
        }
        Ok(marks)
    }

    fn body(&mut self) -> Result<()> {
        while self.peek() == Some(&Token::Item("State".into())) {
            self.next += 1;
            let state_label = self.bracketed_label()?;
            let state = self.number("the number of a state is expected")?;
            self.touch(state)?;
            if matches!(self.peek(), Some(Token::Text(_))) {
                self.next += 1;
            }
            let state_marks = self.marks()?;
            self.edges(state, state_label, state_marks)?;
        }
        match self.peek() {
            Some(Token::End) => Ok(()),
            _ => self.error("a State: or --END-- is expected"),
        }
    }

    fn edges(&mut self, state: u32, state_label: Option<Bdd>, state_marks: Marks) -> Result<()> {
        let mut implicit = 0u64;
        while matches!(self.peek(), Some(Token::Sign('[') | Token::Number(_))) {
            let own = self.bracketed_label()?;
            let label = match own.or(state_label) {
                Some(label) => label,
                None => self.implicit_label(implicit)?,
            };
            implicit += u64::from(own.is_none() && state_label.is_none());
            let target = self.number("the target of an edge is expected")?;
            self.touch(target)?;
            if self.peek() == Some(&Token::Sign('&')) {
                return self.error("alternating automata are not supported");
            }
            let marks = self.marks()? | state_marks;
            self.automaton.edges[state as usize].push(Edge {
                label,
                marks,
                target: target as usize,
            });
        }
        match implicit {
            0 => Ok(()),
            n if n.checked_shr(self.propositions.len() as u32) == Some(1) => Ok(()),
            _ => self.error("implicit labels need one edge for each letter"),
        }
    }

    /// The label of the edge with that number, where labels are implicit: bit i of the number is
    /// the value of proposition i.
    fn implicit_label(&mut self, number: u64) -> Result<Bdd> {
        if number.checked_shr(self.propositions.len() as u32) != Some(0) {
            return self.error("there are more edges than letters");
        }
        let mut label = Bdd::TRUE;
        for (i, atom) in self.propositions.clone().into_iter().enumerate() {
            let mut literal = self.bdds.var(atom.0);
            if number >> i & 1 == 0 {
                literal = self.bdds.not(literal);
            }
            label = self.bdds.and(label, literal);
        }
        Ok(label)
    }

    fn finish(mut self) -> Result<Buchi> {
        let Some(all) = self.marks.filter(|_| !self.automaton.initial.is_empty()) else {
            return Ok(Buchi::from_tgba(&Tgba::empty(), &mut self.bdds));
        };
        let mut automaton = self.automaton;
        automaton.initial.sort_unstable();
        automaton.initial.dedup();
        automaton.all = all;
        for e in automaton.edges.iter_mut().flatten() {
            e.marks &= all;
        }
        automaton.merge_edges(&mut self.bdds);
        let plain = degeneralize(&automaton);
        Ok(Buchi::from_tgba(&plain, &mut self.bdds))
    }
}
