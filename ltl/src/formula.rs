//! Formulas of linear temporal logic, hash-consed.
//!
//! A [`Formula`] is an index into a [`Formulas`] arena, and equal formulas have equal indices, so
//! that comparing, memoising and sharing are all integer operations. The constructors do no
//! rewriting at all: what a front end builds is what it gets back, and the reference semantics
//! ([`crate::word`]) therefore judges the formula as written. Rewriting is the business of
//! [`crate::rewrite`].
//!
//! Invariant: the operands of a node were created before the node, so ascending index order is a
//! topological order. Passes that must survive deep formulas walk the arena in that order instead
//! of recursing; passes that recurse are protected by [`MAX_DEPTH`].

use crate::watch::Watch;
use rustc_hash::FxHashMap;

/// Nesting depth above which the parser and the translator refuse a formula instead of recursing.
pub const MAX_DEPTH: u32 = 512;

/// An atomic proposition. What it stands for is known to the caller only.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(pub u32);

/// A formula: an index into the [`Formulas`] that made it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

impl Formula {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The outermost operator of a formula, with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// An atomic proposition.
    Atom(Atom),
    /// Negation.
    Not(Formula),
    /// Conjunction of two or more operands, sorted and distinct.
    And(Box<[Formula]>),
    /// Disjunction of two or more operands, sorted and distinct.
    Or(Box<[Formula]>),
    /// `f -> g`.
    Implies(Formula, Formula),
    /// `f <-> g`.
    Equiv(Formula, Formula),
    /// `f xor g`.
    Xor(Formula, Formula),
    /// `X f`: f holds in the next position.
    Next(Formula),
    /// `[] f` or `G f`.
    Always(Formula),
    /// `<> f` or `F f`.
    Eventually(Formula),
    /// `f U g`: g holds at some point, f at all points before.
    Until(Formula, Formula),
    /// `f W g`: `f U g` or `[] f`.
    WeakUntil(Formula, Formula),
    /// `f R g` (SPIN's `V`): g holds up to and including the first point where f does, if any.
    Release(Formula, Formula),
    /// `f M g`: `f R g` and f does hold at some point.
    StrongRelease(Formula, Formula),
}

impl Node {
    /// The operands, left to right.
    pub fn operands(&self) -> Vec<Formula> {
        use Node::*;
        match self {
            True | False | Atom(_) => Vec::new(),
            Not(f) | Next(f) | Always(f) | Eventually(f) => vec![*f],
            And(fs) | Or(fs) => fs.to_vec(),
            Implies(f, g)
            | Equiv(f, g)
            | Xor(f, g)
            | Until(f, g)
            | WeakUntil(f, g)
            | Release(f, g)
            | StrongRelease(f, g) => vec![*f, *g],
        }
    }
}

/// The arena that makes and owns formulas.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Node>,
    /// Nesting depth of each node; constants and atoms have depth 1.
    depths: Vec<u32>,
    index: FxHashMap<Node, Formula>,
    /// Whether to give up translating them.
    pub(crate) watch: Watch,
}

impl Formulas {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on, translations of these formulas ask `stop` now and then, and are given up when it says so
    /// ([`Error::Stopped`](crate::translate::Error::Stopped)).
    pub fn stop_when(&mut self, stop: impl Fn() -> bool + Send + Sync + 'static) {
        self.watch = Watch::new(stop);
    }

    /// Interns a node whose operands belong to this arena.
    pub(crate) fn intern(&mut self, node: Node) -> Formula {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let depth = node.operands().iter().map(|&f| self.depth(f)).max();
        let formula = Formula(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        self.nodes.push(node.clone());
        self.depths.push(depth.unwrap_or(0).saturating_add(1));
        self.index.insert(node, formula);
        formula
    }

    /// The outermost operator of `f`.
    pub fn node(&self, f: Formula) -> &Node {
        &self.nodes[f.index()]
    }

    /// The nesting depth of `f`.
    pub fn depth(&self, f: Formula) -> u32 {
        self.depths[f.index()]
    }

    /// All subformulas of `f`, itself included, each once, operands before the formulas that use
    /// them.
    pub fn subformulas(&self, f: Formula) -> Vec<Formula> {
        let mut needed = vec![false; f.index() + 1];
        needed[f.index()] = true;
        for i in (0..=f.index()).rev() {
            if needed[i] {
                for g in self.nodes[i].operands() {
                    needed[g.index()] = true;
                }
            }
        }
        (0..=f.0)
            .filter(|&i| needed[i as usize])
            .map(Formula)
            .collect()
    }

    /// The atoms of `f`, ascending.
    pub fn atoms(&self, f: Formula) -> Vec<Atom> {
        let mut atoms: Vec<Atom> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| match self.node(g) {
                Node::Atom(a) => Some(*a),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// `true`.
    pub fn true_(&mut self) -> Formula {
        self.intern(Node::True)
    }

    /// `false`.
    pub fn false_(&mut self) -> Formula {
        self.intern(Node::False)
    }

    /// An atomic proposition.
    pub fn atom(&mut self, atom: Atom) -> Formula {
        self.intern(Node::Atom(atom))
    }

    /// `!f`.
    pub fn not(&mut self, f: Formula) -> Formula {
        self.intern(Node::Not(f))
    }

    /// `f && g`.
    pub fn and(&mut self, f: Formula, g: Formula) -> Formula {
        self.and_all(vec![f, g])
    }

    /// `f || g`.
    pub fn or(&mut self, f: Formula, g: Formula) -> Formula {
        self.or_all(vec![f, g])
    }

    /// `f && g` as a formula that keeps its order: `!(f -> !g)`. For [`crate::partial`], where the order matters.
    pub fn and_then(&mut self, f: Formula, g: Formula) -> Formula {
        let not_g = self.not(g);
        let implies = self.implies(f, not_g);
        self.not(implies)
    }

    /// `f || g` as a formula that keeps its order: `!f -> g`. For [`crate::partial`], where the order matters.
    pub fn or_else(&mut self, f: Formula, g: Formula) -> Formula {
        let not_f = self.not(f);
        self.implies(not_f, g)
    }

    /// The conjunction of any number of formulas; of none, `true`.
    pub fn and_all(&mut self, mut fs: Vec<Formula>) -> Formula {
        fs.sort_unstable();
        fs.dedup();
        match fs[..] {
            [] => self.true_(),
            [f] => f,
            _ => self.intern(Node::And(fs.into())),
        }
    }

    /// The disjunction of any number of formulas; of none, `false`.
    pub fn or_all(&mut self, mut fs: Vec<Formula>) -> Formula {
        fs.sort_unstable();
        fs.dedup();
        match fs[..] {
            [] => self.false_(),
            [f] => f,
            _ => self.intern(Node::Or(fs.into())),
        }
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Implies(f, g))
    }

    /// `f <-> g`.
    pub fn equiv(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Equiv(f, g))
    }

    /// `f xor g`.
    pub fn xor(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Xor(f, g))
    }

    /// `X f`.
    pub fn next(&mut self, f: Formula) -> Formula {
        self.intern(Node::Next(f))
    }

    /// `[] f`.
    pub fn always(&mut self, f: Formula) -> Formula {
        self.intern(Node::Always(f))
    }

    /// `<> f`.
    pub fn eventually(&mut self, f: Formula) -> Formula {
        self.intern(Node::Eventually(f))
    }

    /// `f U g`.
    pub fn until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Until(f, g))
    }

    /// `f W g`.
    pub fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::WeakUntil(f, g))
    }

    /// `f R g`.
    pub fn release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Release(f, g))
    }

    /// `f M g`.
    pub fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::StrongRelease(f, g))
    }

    /// Whether `f` has no next operator: such a formula cannot tell stutter-equivalent words apart.
    pub fn is_next_free(&self, f: Formula) -> bool {
        let next = |g: &Formula| matches!(self.node(*g), Node::Next(_));
        !self.subformulas(f).iter().any(next)
    }
}

/// The names of atoms, kept beside the formulas because no algorithm needs them.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    names: Vec<String>,
    index: FxHashMap<String, Atom>,
}

impl Atoms {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The atom of that name, made if need be.
    pub fn intern(&mut self, name: &str) -> Atom {
        if let Some(&known) = self.index.get(name) {
            return known;
        }
        let atom = Atom(u32::try_from(self.names.len()).expect("fewer than 2^32 atoms"));
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), atom);
        atom
    }

    /// The atom of that name, if there is one.
    pub fn get(&self, name: &str) -> Option<Atom> {
        self.index.get(name).copied()
    }

    /// The name of `atom`; an atom that was not made here is called `p` and its number.
    pub fn name(&self, atom: Atom) -> String {
        let known = self.names.get(atom.0 as usize);
        known.cloned().unwrap_or_else(|| format!("p{}", atom.0))
    }

    /// How many atoms have been named.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no atom has been named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
