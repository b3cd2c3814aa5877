//! Reference semantics: formulas and automata judged on single words.
//!
//! This is the slow twin of the translator and shares no algorithm with it. A word is a lasso
//! `prefix · cycle^ω`; a formula is evaluated bottom-up, one truth value for each subformula and
//! position, straight from the definitions of the operators (least and greatest fixpoints are
//! unrolled around the cycle). An automaton accepts a lasso when the graph of (state, position)
//! pairs has a reachable accepting state on a cycle.

use crate::buchi::{Buchi, StateId};
use crate::formula::{Atom, Formula, Formulas, Node};
use crate::label::Label;
use crate::partial::Definedness;
use crate::random::Rng;

/// An ultimately periodic word; bit i of a letter is the value of atom i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    prefix: Vec<u64>,
    cycle: Vec<u64>,
}

impl Lasso {
    /// The word `prefix · cycle^ω`, unless `cycle` is empty.
    pub fn new(prefix: Vec<u64>, cycle: Vec<u64>) -> Option<Self> {
        (!cycle.is_empty()).then_some(Lasso { prefix, cycle })
    }

    /// A random word over `atoms` atoms with at most `prefix` and 1 to `cycle` letters.
    pub fn random(rng: &mut Rng, atoms: u32, prefix: u32, cycle: u32) -> Self {
        let letter = |rng: &mut Rng| rng.next_u64() & !(u64::MAX << atoms.min(63));
        let prefix = (0..rng.below32(prefix + 1)).map(|_| letter(rng)).collect();
        let cycle = (0..=rng.below32(cycle.max(1)))
            .map(|_| letter(rng))
            .collect();
        Lasso { prefix, cycle }
    }

    /// The letters before the cycle.
    pub fn prefix(&self) -> &[u64] {
        &self.prefix
    }

    /// The letters that repeat forever.
    pub fn cycle(&self) -> &[u64] {
        &self.cycle
    }

    /// How many positions there are: letters of the prefix, then those of the cycle.
    pub fn positions(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// The letter at a position.
    pub fn letter(&self, position: usize) -> u64 {
        match self.prefix.get(position) {
            Some(letter) => *letter,
            None => self.cycle[position - self.prefix.len()],
        }
    }

    /// The position after it: the first of the cycle after its last.
    pub fn successor(&self, position: usize) -> usize {
        match position + 1 < self.positions() {
            true => position + 1,
            false => self.prefix.len(),
        }
    }
}

/// Whether `f` holds on `lasso`. Atoms beyond the 64th are false.
pub fn holds(formulas: &Formulas, f: Formula, lasso: &Lasso) -> bool {
    Table::new(formulas, f, lasso).holds(f, 0)
}

/// The truth values of all subformulas of a formula at all positions of a word.
#[derive(Clone, Debug)]
pub struct Table {
    slot: Vec<usize>,
    values: Vec<Vec<bool>>,
}

impl Table {
    /// Works them out. Atoms beyond the 64th are false.
    pub fn new(formulas: &Formulas, f: Formula, lasso: &Lasso) -> Table {
        let order = formulas.subformulas(f);
        let mut slot = vec![usize::MAX; f.index() + 1];
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(order.len());
        for g in order {
            slot[g.index()] = values.len();
            let of = |h: &Formula| &values[slot[h.index()]];
            let value = positions(formulas.node(g), of, lasso);
            values.push(value);
        }
        Table { slot, values }
    }

    /// Whether a subformula holds of the word from a position on.
    pub fn holds(&self, g: Formula, position: usize) -> bool {
        self.values[self.slot[g.index()]][position]
    }
}

/// The truth value of a node at each position, given those of its operands.
fn positions<'a>(node: &Node, of: impl Fn(&Formula) -> &'a Vec<bool>, lasso: &Lasso) -> Vec<bool> {
    let each = |value: &dyn Fn(usize) -> bool| (0..lasso.positions()).map(value).collect();
    let forever = |from: bool, step: &dyn Fn(usize, bool) -> bool| fixpoint(lasso, from, step);
    match node {
        Node::True => each(&|_| true),
        Node::False => each(&|_| false),
        Node::Atom(Atom(a)) => each(&|i| *a < 64 && lasso.letter(i) >> a & 1 == 1),
        Node::Not(f) => each(&|i| !of(f)[i]),
        Node::And(fs) => each(&|i| fs.iter().all(|f| of(f)[i])),
        Node::Or(fs) => each(&|i| fs.iter().any(|f| of(f)[i])),
        Node::Implies(f, g) => each(&|i| !of(f)[i] || of(g)[i]),
        Node::Equiv(f, g) => each(&|i| of(f)[i] == of(g)[i]),
        Node::Xor(f, g) => each(&|i| of(f)[i] != of(g)[i]),
        Node::Next(f) => each(&|i| of(f)[lasso.successor(i)]),
        Node::Always(f) => forever(true, &|i, later| of(f)[i] && later),
        Node::Eventually(f) => forever(false, &|i, later| of(f)[i] || later),
        Node::Until(f, g) => forever(false, &|i, later| of(g)[i] || of(f)[i] && later),
        Node::WeakUntil(f, g) => forever(true, &|i, later| of(g)[i] || of(f)[i] && later),
        Node::Release(f, g) => forever(true, &|i, later| of(g)[i] && (of(f)[i] || later)),
        Node::StrongRelease(f, g) => forever(false, &|i, later| of(g)[i] && (of(f)[i] || later)),
    }
}

/// What a formula over partial atoms is worth: see [`crate::partial`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Evaluating it meets an atom that has no value.
    Undefined {
        /// In this letter of the word.
        position: usize,
        /// That atom.
        atom: Atom,
    },
}

impl Value {
    fn not(self) -> Value {
        match self {
            Value::True => Value::False,
            Value::False => Value::True,
            undefined => undefined,
        }
    }

    /// `self && other`, from left to right.
    fn and(self, other: impl FnOnce() -> Value) -> Value {
        match self {
            Value::True => other(),
            decided => decided,
        }
    }

    /// `self || other`, from left to right.
    fn or(self, other: impl FnOnce() -> Value) -> Value {
        match self {
            Value::False => other(),
            decided => decided,
        }
    }
}

/// The value of `f` on `lasso`, evaluated from left to right as the table in [`crate::partial`] says.
pub fn evaluate(formulas: &Formulas, f: Formula, lasso: &Lasso, defined: Definedness<'_>) -> Value {
    let bit = |i: usize, Atom(a): Atom| a < 64 && lasso.letter(i) >> a & 1 == 1;
    let order = formulas.subformulas(f);
    let mut slot = vec![usize::MAX; f.index() + 1];
    let mut values: Vec<Vec<Value>> = Vec::with_capacity(order.len());
    for g in order {
        slot[g.index()] = values.len();
        let of = |h: &Formula, i: usize| values[slot[h.index()]][i];
        let each = |value: &dyn Fn(usize) -> Value| (0..lasso.positions()).map(value).collect();
        let least = |step: &dyn Fn(usize, Value) -> Value| fixpoint(lasso, Value::False, step);
        let greatest = |step: &dyn Fn(usize, Value) -> Value| fixpoint(lasso, Value::True, step);
        let value: Vec<Value> = match formulas.node(g) {
            Node::True => each(&|_| Value::True),
            Node::False => each(&|_| Value::False),
            Node::Atom(atom) => each(&|position| match defined(*atom) {
                Some(d) if !bit(position, d) => Value::Undefined {
                    position,
                    atom: *atom,
                },
                _ if bit(position, *atom) => Value::True,
                _ => Value::False,
            }),
            Node::Not(f) => each(&|i| of(f, i).not()),
            Node::And(fs) => each(&|i| {
                let and = |all: Value, f| all.and(|| of(f, i));
                fs.iter().fold(Value::True, and)
            }),
            Node::Or(fs) => each(&|i| {
                let or = |any: Value, f| any.or(|| of(f, i));
                fs.iter().fold(Value::False, or)
            }),
            Node::Implies(f, g) => each(&|i| of(f, i).not().or(|| of(g, i))),
            Node::Equiv(f, g) => each(&|i| equivalent(of(f, i), of(g, i))),
            Node::Xor(f, g) => each(&|i| equivalent(of(f, i), of(g, i)).not()),
            Node::Next(f) => each(&|i| of(f, lasso.successor(i))),
            Node::Always(f) => greatest(&|i, later| of(f, i).and(|| later)),
            Node::Eventually(f) => least(&|i, later| of(f, i).or(|| later)),
            Node::Until(f, g) => least(&|i, later| of(g, i).or(|| of(f, i).and(|| later))),
            Node::WeakUntil(f, g) => greatest(&|i, later| of(g, i).or(|| of(f, i).and(|| later))),
            Node::Release(f, g) => greatest(&|i, later| of(g, i).and(|| of(f, i).or(|| later))),
            Node::StrongRelease(f, g) => least(&|i, later| of(g, i).and(|| of(f, i).or(|| later))),
        };
        values.push(value);
    }
    values[slot[f.index()]][0]
}

/// Both are evaluated, the left one first.
fn equivalent(f: Value, g: Value) -> Value {
    match (f, g) {
        (Value::Undefined { .. }, _) => f,
        (_, Value::Undefined { .. }) => g,
        _ if f == g => Value::True,
        _ => Value::False,
    }
}

/// The least (from `false`) or greatest (from `true`) solution of `x[i] = step(i, x[i+1])`. Two
/// backward sweeps suffice: the first settles the start of the cycle, the second all the rest.
fn fixpoint<T: Copy>(lasso: &Lasso, from: T, step: &dyn Fn(usize, T) -> T) -> Vec<T> {
    let mut values = vec![from; lasso.positions()];
    for _ in 0..2 {
        for i in (0..values.len()).rev() {
            values[i] = step(i, values[lasso.successor(i)]);
        }
    }
    values
}

/// How soon `buchi` can enter `state` on `lasso`: at which letter, and by an edge of which label.
pub fn entry(buchi: &Buchi, lasso: &Lasso, state: StateId) -> Option<(usize, Label)> {
    let mut current: Vec<StateId> = buchi.initial().to_vec();
    let mut seen = vec![false; buchi.len() * lasso.positions()];
    let mut position = 0;
    while !current.is_empty() {
        let mut next = Vec::new();
        for from in current {
            let edges = buchi.edges(from).iter();
            for edge in edges.filter(|e| e.label.eval(lasso.letter(position))) {
                if edge.target == state {
                    return Some((position, edge.label.clone()));
                }
                let node = edge.target.0 as usize * lasso.positions() + lasso.successor(position);
                if !std::mem::replace(&mut seen[node], true) {
                    next.push(edge.target);
                }
            }
        }
        current = next;
        position = lasso.successor(position);
    }
    None
}

/// Whether `buchi` accepts `lasso`.
pub fn accepts(buchi: &Buchi, lasso: &Lasso) -> bool {
    let width = lasso.positions();
    let successors = |node: usize| {
        let (state, position) = (StateId((node / width) as u32), node % width);
        let next = lasso.successor(position);
        let edges = buchi.edges(state).iter();
        let fitting = edges.filter(move |e| e.label.eval(lasso.letter(position)));
        fitting.map(move |e| e.target.0 as usize * width + next)
    };
    let reach = |roots: Vec<usize>| {
        let mut seen = vec![false; buchi.len() * width];
        let mut stack = roots;
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                stack.extend(successors(node));
            }
        }
        seen
    };
    let starts = buchi
        .initial()
        .iter()
        .map(|s| s.0 as usize * width)
        .collect();
    let reachable = reach(starts);
    (0..reachable.len()).any(|node| {
        reachable[node]
            && node % width >= lasso.prefix.len()
            && buchi.is_accepting(StateId((node / width) as u32))
            && reach(successors(node).collect())[node]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atoms;
    use crate::parse;

    /// Letters over p (bit 0) and q (bit 1).
    const NONE: u64 = 0;
    const P: u64 = 1;
    const Q: u64 = 2;

    #[test]
    fn operators_mean_what_the_textbook_says() {
        let cases: &[(&str, &[u64], &[u64], bool)] = &[
            ("p", &[P], &[NONE], true),
            ("X p", &[P], &[NONE], false),
            ("[] p", &[], &[P], true),
            ("[] p", &[], &[P, NONE], false),
            ("<> q", &[P, P], &[NONE, Q], true),
            ("<> q", &[P, P], &[NONE], false),
            ("p U q", &[P, P, Q], &[NONE], true),
            ("p U q", &[], &[P], false),
            ("p W q", &[], &[P], true),
            ("p W q", &[P, NONE], &[Q], false),
            ("p R q", &[], &[Q], true),
            ("p R q", &[Q, P | Q], &[NONE], true),
            ("p R q", &[Q, P], &[NONE], false),
            ("p M q", &[], &[Q], false),
            ("p M q", &[Q, P | Q], &[NONE], true),
            ("[]<> p", &[], &[P, NONE], true),
            ("<>[] p", &[], &[P, NONE], false),
            ("<>[] p", &[NONE], &[P], true),
            ("p xor q", &[P | Q], &[P], false),
            ("p <-> q", &[P | Q], &[P], true),
            ("p -> q", &[P], &[Q], false),
        ];
        for (text, prefix, cycle, expected) in cases {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            atoms.intern("p");
            atoms.intern("q");
            let f = parse::formula(&mut formulas, &mut atoms, text).unwrap();
            let lasso = Lasso::new(prefix.to_vec(), cycle.to_vec()).unwrap();
            assert_eq!(
                holds(&formulas, f, &lasso),
                *expected,
                "{text} on {lasso:?}"
            );
        }
    }
}
