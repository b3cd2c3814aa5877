//! Why a formula does not hold of a run, as a chain of facts that the definitions of the operators link.
//!
//! From the formula down to conditions on states: `[] f` fails because `f` does at some point, and the first one is
//! named; `f -> g` because there `f` holds and `g` does not; `<> g` because `g` is false at every point from there on. Each
//! fact is about a subformula and points of the run, and each is true by the table of all values that [`ltl::word`] gives: so
//! the chain can be checked fact by fact. Where several operands fail, the one is taken whose facts are over first.

use ltl::formula::Node;
use ltl::word::{Lasso, Table};
use ltl::{Formula, Formulas};
use rustc_hash::FxHashSet;

/// A fact about a run: a subformula has that value at those points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The subformula.
    pub formula: Formula,
    /// Its value.
    pub holds: bool,
    /// The first point, as a position of the lasso.
    pub position: usize,
    /// The other points.
    pub extent: Extent,
}

/// Which points a fact is about besides its first.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// No other.
    Here,
    /// All before that position, itself not included.
    Before(usize),
    /// All that follow, forever.
    Forever,
}

/// Why `formula` does not hold of `lasso`: the chain of facts below it.
pub fn why(formulas: &Formulas, formula: Formula, lasso: &Lasso) -> Vec<Fact> {
    let table = Table::new(formulas, formula, lasso);
    let search = Search {
        formulas,
        lasso,
        table,
    };
    let mut facts = Vec::new();
    search.below(formula, 0, &mut FxHashSet::default(), &mut facts);
    facts
}

/// Whether a formula is a condition on the first state alone.
pub fn is_condition(formulas: &Formulas, f: Formula) -> bool {
    let mut parts = formulas.subformulas(f).into_iter();
    parts.all(|g| {
        use Node::{And, Atom, Equiv, False, Implies, Not, Or, True, Xor};
        matches!(
            formulas.node(g),
            True | False | Atom(_) | Not(_) | And(_) | Or(_) | Implies(..) | Equiv(..) | Xor(..)
        )
    })
}

struct Search<'a> {
    formulas: &'a Formulas,
    lasso: &'a Lasso,
    table: Table,
}

/// What has been told.
type Seen = FxHashSet<(Formula, usize)>;

impl Search<'_> {
    fn holds(&self, f: Formula, at: usize) -> bool {
        self.table.holds(f, at)
    }

    /// All points from one on, in order, once each.
    fn from(&self, at: usize) -> impl Iterator<Item = usize> + use<'_> {
        let cycle = self.lasso.prefix().len();
        (at..self.lasso.positions()).chain(cycle.min(at)..at)
    }

    /// The first point from one on where a formula has a value.
    fn first(&self, f: Formula, value: bool, at: usize) -> Option<usize> {
        self.from(at).find(|&i| self.holds(f, i) == value)
    }

    fn push(&self, formula: Formula, position: usize, extent: Extent, out: &mut Vec<Fact>) {
        let holds = self.holds(formula, position);
        out.push(Fact {
            formula,
            holds,
            position,
            extent,
        });
    }

    /// A fact about one point, and why it is one.
    fn here(&self, f: Formula, at: usize, seen: &mut Seen, out: &mut Vec<Fact>) {
        if !seen.insert((f, at)) {
            return;
        }
        self.push(f, at, Extent::Here, out);
        if !is_condition(self.formulas, f) {
            self.below(f, at, seen, out);
        }
    }

    /// A fact about all points from one on; where it is about more than states, why it is one where the cycle begins.
    fn forever(&self, f: Formula, at: usize, seen: &mut Seen, out: &mut Vec<Fact>) {
        self.push(f, at, Extent::Forever, out);
        if !is_condition(self.formulas, f) {
            let later = at.max(self.lasso.prefix().len());
            if seen.insert((f, later)) {
                self.below(f, later, seen, out);
            }
        }
    }

    /// A formula is false from one point to another, if there are any between.
    fn before(&self, f: Formula, at: usize, end: usize, out: &mut Vec<Fact>) {
        if end > at {
            self.push(f, at, Extent::Before(end), out);
        }
    }

    /// One operand is reason enough: the one whose facts are over first.
    fn any(&self, fs: &[Formula], at: usize, value: bool, seen: &mut Seen, out: &mut Vec<Fact>) {
        let chains = fs
            .iter()
            .filter(|f| self.holds(**f, at) == value)
            .map(|&f| {
                let (mut seen, mut facts) = (seen.clone(), Vec::new());
                self.here(f, at, &mut seen, &mut facts);
                (seen, facts)
            });
        let end = |facts: &[Fact]| {
            let last = facts.iter().map(|fact| match fact.extent {
                Extent::Here => fact.position,
                Extent::Before(end) => end,
                Extent::Forever => usize::MAX,
            });
            last.max().unwrap_or(0)
        };
        if let Some((told, facts)) = chains.min_by_key(|(_, facts)| end(facts)) {
            *seen = told;
            out.extend(facts);
        }
    }

    /// Why `f` has the value it has at a point.
    fn below(&self, f: Formula, at: usize, seen: &mut Seen, out: &mut Vec<Fact>) {
        let holds = self.holds(f, at);
        let mut all = |fs: &[Formula], seen: &mut Seen| {
            fs.iter().for_each(|&g| self.here(g, at, seen, out));
        };
        match (self.formulas.node(f), holds) {
            (Node::True | Node::False | Node::Atom(_), _) => {}
            (Node::Not(g), _) => self.here(*g, at, seen, out),
            (Node::And(gs), true) | (Node::Or(gs), false) => all(gs, seen),
            (Node::And(gs), false) => self.any(gs, at, false, seen, out),
            (Node::Or(gs), true) => self.any(gs, at, true, seen, out),
            (Node::Implies(g, h), false) => all(&[*g, *h], seen),
            (Node::Implies(_, h), true) if self.holds(*h, at) => self.here(*h, at, seen, out),
            (Node::Implies(g, _), true) => self.here(*g, at, seen, out),
            (Node::Equiv(g, h) | Node::Xor(g, h), _) => all(&[*g, *h], seen),
            (Node::Next(g), _) => self.here(*g, self.lasso.successor(at), seen, out),
            (Node::Always(g), true) | (Node::Eventually(g), false) => {
                self.forever(*g, at, seen, out);
            }
            (Node::Always(g), false) | (Node::Eventually(g), true) => {
                if let Some(point) = self.first(*g, holds, at) {
                    self.here(*g, point, seen, out);
                }
            }
            (Node::Until(g, h) | Node::WeakUntil(g, h), false) => {
                // Both are false at some point before which the second one is false too; or the second one is forever.
                let end = self
                    .from(at)
                    .find(|&i| !self.holds(*g, i) || self.holds(*h, i));
                match end.filter(|&i| !self.holds(*h, i)) {
                    Some(point) => {
                        self.before(*h, at, point, out);
                        self.here(*g, point, seen, out);
                        self.here(*h, point, seen, out);
                    }
                    None => self.forever(*h, at, seen, out),
                }
            }
            (Node::Until(_, h), true) => {
                if let Some(point) = self.first(*h, true, at) {
                    self.here(*h, point, seen, out);
                }
            }
            (Node::WeakUntil(g, h), true) => match self.first(*h, true, at) {
                Some(point) => self.here(*h, point, seen, out),
                None => self.forever(*g, at, seen, out),
            },
            (Node::Release(g, h) | Node::StrongRelease(g, h), false) => {
                // The second one fails before the first one holds; or the first one never does.
                match self.first(*h, false, at) {
                    Some(point) => {
                        self.before(*g, at, point, out);
                        self.here(*h, point, seen, out);
                    }
                    None => self.forever(*g, at, seen, out),
                }
            }
            (Node::Release(g, h) | Node::StrongRelease(g, h), true) => {
                match self.first(*g, true, at) {
                    Some(point) => self.here(*g, point, seen, out),
                    None => self.forever(*h, at, seen, out),
                }
            }
        }
    }
}
